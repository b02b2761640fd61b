// Appeals and deadlines in words.
import type { Schemas } from "../../api/client";
import { day } from "../../ui/format";

export type Appeal = Schemas["Appeal"];
type Deadline = Schemas["Deadline"];

export const levels: Record<Appeal["level"], string> = {
  first: "First level",
  second: "Second level",
  external: "External review",
};

export const ways: Record<Schemas["AppealWay"], string> = {
  mail: "Mail",
  fax: "Fax",
  portal: "Payer’s portal",
  other: "Another way",
};

export const decidedAs: Record<Schemas["AppealOutcome"], string> = {
  overturned: "The payer pays all of it",
  partly: "The payer pays a part",
  upheld: "The payer stays with its decision",
  withdrawn: "We withdraw it",
};

const sources: Record<Deadline["source"], string> = {
  contract: "by the contract",
  payer: "by the payer’s limit",
  proposed: "proposed: confirm it with the payer",
  person: "set by your practice",
  unknown: "unknown",
};

/** until says until when something is accepted, and who says so. */
export function until(d: Deadline): string {
  if (d.source === "unknown") return "Unknown";
  const by = d.stated ? `${sources[d.source]}, ${d.stated}` : sources[d.source];
  return d.on ? `${day(d.on)} (${by})` : `${d.days} days (${by})`;
}

/** standing says in a sentence how an appeal stands. */
export function standing(a: Appeal): string {
  if (a.decided) return `${decidedAs[a.decided.outcome]} (${day(a.decided.on)})`;
  if (a.sent)
    return `Sent on ${day(a.sent.on)} by ${ways[a.sent.by].toLowerCase()}. The decision is due on ${day(a.due_on ?? "")}.`;
  return `To be sent by ${until(a.deadline)}.`;
}
