// The patients of a batch of checks: in which order a front desk goes through them, and what it says and does of each.
import type { Schemas } from "../../api/client";
import { dateIn } from "../../ui/format";
import type { Tone } from "../../ui/state";

export type Batch = Schemas["EligibilityBatch"];
export type Item = Schemas["EligibilityBatchItem"];

type Person = { first_name: string; last_name: string; date_of_birth: string };

/** Asked is the check that an item asks for, as it was sent. */
export type Asked = {
  office_id: string;
  payer_id: string;
  subscriber: Person & { member_id: string; group_number?: string | null; gender?: string | null };
  patient?: (Person & { relationship: string; gender?: string | null }) | null;
  service_date?: string | null;
  procedure_codes?: string[] | null;
};

/** askedOf returns the check that an item asks for. */
export const askedOf = (i: Item) => i.request as Asked;

/** patientOf returns the patient of an item. */
export const patientOf = (i: Item): Person => askedOf(i).patient ?? askedOf(i).subscriber;

/** dayOf returns the day of an item's appointment in a time zone; empty if none is known. */
export const dayOf = (i: Item, zone: string): string =>
  i.appointment_at ? dateIn(zone, new Date(i.appointment_at)) : (askedOf(i).service_date ?? "");

/** dayOfAll returns the day on which all items are; empty if there are several, or none is known.
 *  What was sent may be no day. */
export function dayOfAll(items: readonly Item[], zone: string): string {
  const [first = "", ...others] = new Set(items.map((i) => dayOf(i, zone)));
  return others.length > 0 || Number.isNaN(Date.parse(first)) ? "" : first;
}

/** answeredOf returns the checks that were answered of items, in their order. */
export const answeredOf = (items: readonly Item[]): string[] =>
  items.flatMap((i) => (i.outcome === "answered" && i.eligibility_id) || []);

/** inOrder returns items by their appointments, those without one last. What needs a person comes first. */
export function inOrder(items: readonly Item[]): Item[] {
  const time = (i: Item) => (i.appointment_at ? Date.parse(i.appointment_at) : Infinity);
  const day = (i: Item) => askedOf(i).service_date ?? "";
  const person = (i: Item) => patientOf(i).last_name + patientOf(i).first_name;
  return [...items].sort(
    (a, b) =>
      Number(b.needs_a_person) - Number(a.needs_a_person) ||
      (time(a) === time(b) ? 0 : time(a) - time(b)) ||
      day(a).localeCompare(day(b)) ||
      person(a).localeCompare(person(b)),
  );
}

/** Said is what an item comes to: a word with its tone, and more in sentences. */
export type Said = { word: string; tone: Tone; more: string };

/** clock returns the time of the day in a time zone. */
export const clock = (zone: string, at: string) =>
  new Date(at).toLocaleTimeString("en-US", {
    timeZone: zone,
    hour: "numeric",
    minute: "2-digit",
  });

const tones: Record<Schemas["Verdict"]["standing"], Tone> = {
  covered: "good",
  limited: "warn",
  not_covered: "bad",
  not_known: "warn",
};

/** saidOf returns what an item comes to, with times of a time zone. */
export function saidOf(i: Item, zone: string): Said {
  if (i.state === "pending")
    return {
      word: "Waiting for the payer",
      tone: "info",
      more:
        i.attempts > 0 && i.next_attempt_at
          ? `It did not respond, and is asked again at ${clock(zone, i.next_attempt_at)}.`
          : "",
    };
  if (i.outcome === "invalid")
    return { word: "Not asked", tone: "bad", more: i.errors.map((e) => e.message).join(" ") };
  if (i.outcome === "not_asked")
    return { word: "Not asked", tone: "bad", more: "The time of the list was over." };
  if (i.outcome === "canceled") return { word: "Canceled", tone: "plain", more: "" };
  if (!i.verdict) return { word: "Not known", tone: "warn", more: "" };
  const [, word = i.verdict.text, rest = ""] = /^([^.]+)\.\s*(.*)$/s.exec(i.verdict.text) ?? [];
  const also = i.outcome === "answered" ? [] : i.verdict.also;
  const more = [rest, ...also].filter(Boolean).join(" ");
  return { word, tone: tones[i.verdict.standing] ?? "warn", more };
}

/** adviceOf says what a person does about an item that needs one, as far as what it comes to does not say it. */
export function adviceOf(i: Item): string {
  if (!i.needs_a_person) return "";
  if (i.outcome === "invalid") return "Correct it, and ask again.";
  if (i.outcome === "rejected") return "";
  if (i.outcome !== "answered") return "Ask again, or call the payer.";
  if (i.status === "active")
    return "The payer has other details on file. Open the check and compare them before you bill.";
  if (i.status === "inactive") return "Ask the patient for another plan before the visit.";
  return "Ask the payer by phone before the visit.";
}

/** mayRepeat reports whether the same question may have another answer. */
export const mayRepeat = (i: Item): boolean =>
  i.needs_a_person &&
  (["payer_unavailable", "error", "not_asked"].includes(i.outcome ?? "") || i.status === "unknown");

/** undecided says why nothing is to be decided about a patient; null if something is. */
export function undecided(i: Item): string | null {
  if (!i.needs_a_person) return "Nothing is to do about the patient.";
  return i.settled ? "It is decided." : null;
}

/** unretried says why a payer is not asked again about a patient of a batch; null if it is. */
export function unretried(i: Item, b: Pick<Batch, "state">): string | null {
  if (b.state === "canceled") return "The schedule is canceled.";
  if (i.state === "pending") return "The payer is being asked.";
  if (mayRepeat(i)) return null;
  return i.needs_a_person
    ? "The same question would have the same answer. Correct it and ask again."
    : "The payer has answered.";
}

/** left returns how many items of a batch have an outcome. */
export const made = (b: Batch): number => b.items - b.pending;

/** outcomes are the outcomes of items, in words, in the order in which they are shown. */
export const itemOutcomes: Record<Schemas["EligibilityItemOutcome"], string> = {
  answered: "Answered",
  rejected: "Rejected by the payer",
  payer_unavailable: "Payer unavailable",
  error: "Failed",
  invalid: "Not asked: to correct",
  not_asked: "Not asked: too late",
  canceled: "Canceled",
};
