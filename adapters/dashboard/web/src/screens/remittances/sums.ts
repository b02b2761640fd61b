// The sums of a posting sheet.
import type { Schemas } from "../../api/client";
import { cents } from "../../ui/format";
import { patientOf } from "./figures";
import { money } from "./standing";

type ERAClaim = Schemas["ERAClaim"];
type Adjustment = ERAClaim["adjustments"][number];
type Stated = Pick<ERAClaim, "adjustments" | "allowed"> & {
  lines: Pick<ERAClaim["lines"][number], "adjustments" | "allowed">[];
};

/** adjustmentsOf returns the adjustments of a claim and of its lines, each group and reason once. */
export function adjustmentsOf(c: Stated): Pick<Adjustment, "group" | "reason" | "amount">[] {
  const sums = new Map<string, { group: string; reason: string; amount: string }>();
  for (const a of [...c.adjustments, ...c.lines.flatMap((l) => l.adjustments)]) {
    const key = `${a.group}-${a.reason}`;
    const was = sums.get(key);
    sums.set(key, {
      group: a.group,
      reason: a.reason,
      amount: money(cents(was?.amount ?? "0.00") + cents(a.amount)),
    });
  }
  return [...sums.values()];
}

/** allowedOf returns what the payer allows for a claim: as it states, else the sum of the lines if each has one. */
export function allowedOf(c: Stated): string | null {
  if (c.allowed !== null || c.lines.length === 0) return c.allowed;
  let sum = 0;
  for (const l of c.lines) {
    if (l.allowed === null) return null;
    sum += cents(l.allowed);
  }
  return money(sum);
}

/** sumOf adds up a figure of claims. */
export const sumOf = (claims: readonly ERAClaim[], of: (c: ERAClaim) => string | null): string =>
  money(claims.reduce((n, c) => n + cents(of(c) ?? "0.00"), 0));

/** sums are the totals of the claims of a sheet. */
export const sums = (claims: readonly ERAClaim[]) => ({
  charge: sumOf(claims, (c) => c.charge),
  allowed: claims.every((c) => allowedOf(c) !== null) ? sumOf(claims, allowedOf) : null,
  contractual: sumOf(claims, (c) => c.contractual),
  not_paid: sumOf(claims, (c) => c.not_paid),
  patient: sumOf(claims, patientOf),
  paid: sumOf(claims, (c) => c.paid),
  applied: sumOf(
    claims.filter((c) => c.status === "applied"),
    (c) => c.paid,
  ),
});
