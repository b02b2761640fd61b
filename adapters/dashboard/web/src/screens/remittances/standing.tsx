// How far a remittance is: what a person has to decide, and what adds up.
import type { Schemas } from "../../api/client";
import { cents } from "../../ui/format";
import { count } from "../../ui/plural";
import { Badge, type Tone } from "../../ui/state";

type Head = Schemas["ERASummary"];

/** unfinished returns the number of claims that wait for a person. */
export const unfinished = (e: Pick<Head, "progress">): number =>
  e.progress.needs_review + e.progress.unmatched;

/** finished returns the number of claims that need no one. */
export const finished = (e: Pick<Head, "progress">): number =>
  e.progress.applied + e.progress.ignored + e.progress.forwarded;

/** underway returns the number of claims that Molar is still applying. */
export const underway = (e: Pick<Head, "progress" | "counts">): number =>
  Math.max(0, e.counts.claims - finished(e) - unfinished(e));

/** standing returns in a word what a remittance needs. */
export function standing(e: Head): [string, Tone] {
  if (e.state === "posted") return ["Posted", "accent"];
  if (e.state === "replaced") return ["Replaced", "plain"];
  if (e.state === "discarded") return ["Discarded", "plain"];
  if (e.correction?.undecided) return ["Correction to decide", "warn"];
  if (unfinished(e) > 0) return ["To finish", "warn"];
  if (underway(e) > 0) return ["Being applied", "info"];
  if (e.balanced) return ["Ready to post", "good"];
  return e.acknowledged ? ["Acknowledged", "info"] : ["Does not add up", "warn"];
}

/** unpostable says why a remittance is not posted with others, and what to do; null if it is. */
export function unpostable(e: Head): string | null {
  const [word] = standing(e);
  switch (word) {
    case "Ready to post":
    case "Acknowledged":
      return null;
    case "Posted":
      return "It is posted already.";
    case "Correction to decide":
      return "Decide first what the correction changes.";
    case "To finish":
      return `${count(unfinished(e), "claim needs", "claims need")} a decision first.`;
    case "Being applied":
      return "Molar is still applying its claims. Wait a moment.";
    case "Does not add up":
      return "Its amounts do not add up. Ask the payer, and acknowledge the difference first.";
    default:
      return "Another remittance has taken its place.";
  }
}

/** reconciling says what the posting of a remittance did with its claims. */
export function reconciling(e: Schemas["ERA"]): string {
  const left = e.left_out_count;
  const did =
    e.reconciled === 0
      ? "No claim is reconciled"
      : `${count(e.reconciled, "claim is", "claims are")} reconciled`;
  const but = left > 0 ? `, and ${count(left, "claim is", "claims are")} left out` : "";
  switch (e.reconcile_state) {
    case "awaits_deposit":
      return "The settled claims are reconciled once the money is in the bank. ";
    case "reconciling":
      return `${did}${but} so far. Molar goes on with the others. `;
    case "done":
      return `${did}${but}. `;
    case "reopening":
      return "Molar is still reopening claims. ";
    default:
      return "";
  }
}

/** Standing shows what a remittance needs. */
export function Standing({ era: e }: { era: Head }) {
  const [word, tone] = standing(e);
  return <Badge tone={tone}>{word}</Badge>;
}

/** Progress shows how many claims are finished, as a bar and in words. */
export function Progress({ era: e }: { era: Head }) {
  const all = Math.max(1, e.counts.claims);
  const waiting = [
    e.progress.needs_review > 0 && `${e.progress.needs_review.toLocaleString("en-US")} to review`,
    e.progress.unmatched > 0 && `${e.progress.unmatched.toLocaleString("en-US")} unmatched`,
    underway(e) > 0 && `${underway(e).toLocaleString("en-US")} being applied`,
  ]
    .filter(Boolean)
    .join(", ");
  const done = finished(e) === e.counts.claims;
  return (
    <div className="progress">
      <div className="progress-bar no-print" aria-hidden>
        <span className="progress-done" style={{ width: `${(100 * finished(e)) / all}%` }} />
        <span className="progress-wait" style={{ width: `${(100 * unfinished(e)) / all}%` }} />
      </div>
      <span className="small">
        {done
          ? count(e.counts.claims, "claim, finished", "claims, all finished")
          : `${finished(e).toLocaleString("en-US")} of ${count(e.counts.claims, "claim")} finished`}
        {waiting && <span className="sub">{waiting}</span>}
      </span>
    </div>
  );
}

/** opposite returns an amount with the other sign. */
export const opposite = (amount: string): string => money(-cents(amount));

/** money returns cents as an amount of the API. */
export const money = (n: number): string => (n / 100).toFixed(2).replace(/^-0\.00$/, "0.00");

const methods: Record<string, string> = {
  ACH: "EFT",
  CHK: "Check",
  NON: "No payment",
  FWT: "Wire transfer",
  BOP: "EFT or check",
};

/** methodLabel returns the words for a payment method (BPR04). */
export const methodLabel = (code: string): string => methods[code] ?? `Method ${code}`;
