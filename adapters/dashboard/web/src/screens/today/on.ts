// On which pages the bar of a task is, with its keys: that of what the task is about, and those
// that the task leads to.
import type { Schemas } from "../../api/client";
import type { Queue } from "./queue";

/** Kept is what the bar must know of a resource that a page shows and that no task is about. */
type Kept =
  | Pick<Schemas["Claim"], "object" | "id" | "secondary_to" | "parent_id">
  | Pick<Schemas["Appeal"], "object" | "id" | "claim_id">
  | Pick<Schemas["Attachment"], "object" | "id" | "claim_id" | "payer_request_id">
  | Pick<Schemas["Deposit"], "object" | "id" | "parts" | "candidates">;

/** Page is what is shown: its path in the mode, the claim that its address names, and its resource
 *  once it is read. */
export type Page = { path: string; claim?: string | undefined; of?: Kept | undefined };

type Of = Pick<Queue, "resource" | "place" | "actions">;

/** Read is a kind of pages that are read before the bar is on them. */
type Read = "claims" | "appeals" | "attachments" | "deposits";

/** ownPage reports whether a path is the page of what the task is about, or one of its forms. */
export function ownPage({ place }: Of, path: string): boolean {
  return path === place || (place.startsWith("/claims/") && path.startsWith(`${place}/`));
}

/** toRead returns the kind and the ID of what decides whether the bar is on a page; null if the
 *  path says it. */
export function toRead(of: Of, path: string): { kind: Read; id: string } | null {
  const [, kind, id] = /^\/(claims|appeals|attachments|deposits)\/(\w{3}_\w{26})/.exec(path) ?? [];
  return kind && id && !ownPage(of, path) ? { kind: kind as Read, id } : null;
}

/** onPage reports whether the bar of a task is on a page. */
export function onPage(task: Of, { path, claim, of }: Page): boolean {
  const missing = task.resource.startsWith("era_") && task.actions.includes("matchDeposit");
  if (ownPage(task, path)) return true;
  if (path === "/attachments/new") return claim === task.resource;
  if (path === "/deposits") return missing; // where missing money is looked for
  if (!of || toRead(task, path)?.id !== of.id) return false;
  switch (of.object) {
    case "claim": // that the task made
      return (
        (of.secondary_to === task.resource && task.actions.includes("billSecondary")) ||
        (of.parent_id === task.resource && task.actions.includes("voidClaim"))
      );
    case "appeal":
      return of.claim_id === task.resource;
    case "attachment":
      return of.claim_id === task.resource || of.payer_request_id === task.resource;
    case "deposit": // that is, or may be, the missing money
      return (
        missing &&
        [...of.parts, ...of.candidates.flatMap((c) => c.eras)].some(
          (e) => e.era_id === task.resource,
        )
      );
  }
}
