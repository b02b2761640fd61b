// The figures of a remittance claim, which add up to its charge.
import type { Schemas } from "../../api/client";
import { cents } from "../../ui/format";
import { money } from "./standing";

type ERAClaim = Pick<
  Schemas["ERAClaim"],
  "charge" | "paid" | "contractual" | "not_paid" | "adjustments" | "status_code" | "balanced"
> & { lines: Pick<Schemas["ERAClaim"]["lines"][number], "adjustments">[] };

const all = (c: ERAClaim) => [...c.adjustments, ...c.lines.flatMap((l) => l.adjustments)];

/** patientOf returns what the adjustments leave to the patient. A reversal states no such amount for the claim. */
export const patientOf = (c: ERAClaim): string =>
  money(
    all(c)
      .filter((a) => a.group === "PR")
      .reduce((n, a) => n + cents(a.amount), 0),
  );

/** restOf returns what of the charge is neither paid nor written off, refused or the patient's, and what it is; null
 *  if nothing is left. */
export function restOf(c: ERAClaim): { amount: string; what: string } | null {
  const known = [c.paid, c.contractual, c.not_paid, patientOf(c)];
  const rest = cents(c.charge) - known.reduce((n, a) => n + cents(a), 0);
  return rest === 0 ? null : { amount: money(rest), what: whatRests(c) };
}

function whatRests(c: ERAClaim): string {
  if (!c.balanced) return "not explained";
  if (c.status_code === "25") return "estimated";
  return all(c).some((a) => a.group === "OA" && a.reason === "23")
    ? "settled by other payers"
    : "corrected";
}
