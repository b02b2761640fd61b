// What an advance of the test clock is about, in words.
import type { Schemas } from "../api/client";
import { dollars } from "../ui/format";
import { count } from "../ui/plural";
import { stateName } from "../ui/state";

type Clock = Schemas["SandboxClock"];

/** Move is how far the clock advances. */
export type Move = Schemas["SandboxClockAdvance"];

/** Begun is an advance that began here, or was found under way: how, the clock before it, and the ID of the
 *  newest event before it. */
export type Begun = { move?: Move; before: Clock; newest: string };

/** dueWork says what happens when work of a kind is due. */
export const dueWork: Record<NonNullable<Clock["next"]>["kind"], string> = {
  batch: "queued claims leave for the clearinghouse",
  acknowledgement: "an acknowledgement of a claim file arrives",
  era: "a remittance arrives",
  payer_request: "a payer asks for more about a claim",
  eligibility_check: "a check of a batch is asked again",
  claim_status: "a payer is asked about a claim",
  delivery: "an event is sent to a webhook endpoint",
};

/** blocks says what holds up an advance, and what to do. */
export const blocks: Record<NonNullable<Clock["blocked"]>, string> = {
  database:
    "A worker or the database does not respond. Check that the workers run, and read their logs.",
  broker:
    "Jobs or webhooks wait for a worker. Check that the workers run and that they reach the message broker.",
  images:
    "An image waits to be converted or sent. Check the workers, the image storage and the attachment network.",
};

/** aim says what an advance under way does. Target is where it ends, once that is known. */
export function aim(move: Move | undefined, target: string | null): string {
  if (target) return `Advancing to ${target}…`;
  return move?.until === "idle" ? "Advancing until nothing is due…" : "Advancing…";
}

/** happened returns the events of an advance, of a page of the newest ones, and whether there are more. */
export function happened<E extends { id: string }>(
  page: { data: readonly E[]; next_cursor: string | null } | undefined,
  begun: Begun | null,
): { events: E[]; more: boolean } {
  if (!begun || !page) return { events: [], more: false };
  const events = page.data.filter((e) => e.id > begun.newest); // an ID begins with its real time
  return { events, more: events.length === page.data.length && page.next_cursor !== null };
}

/** outcome says where an advance ended, and how much happened. Shown is the time of the clock. */
export function outcome(
  { move, before }: Begun,
  shown: string,
  { events, more }: { events: readonly unknown[]; more: boolean },
): string {
  if (events.length > 0)
    return `The clock shows ${shown}. ${more ? "More than " : ""}${count(events.length, "event")} happened.`;
  if (move?.until && !before.next) return "Nothing is due, so the clock did not move.";
  return `The clock shows ${shown}. Nothing happened.`;
}

/** about returns what an event says beside its type: who accepted a claim, or an amount, and the payer. */
export function about({ type, data }: Schemas["Event"]): string {
  if (type === "claim.accepted" && "state" in data) return stateName(data.state);
  const amount =
    ("claim_payment" in data && data.claim_payment?.paid) ||
    ("payment" in data && data.payment && "total" in data.payment && data.payment.total);
  const payer = "payer" in data && data.payer?.name;
  return [amount && dollars(amount), payer].filter(Boolean).join(" from ");
}
