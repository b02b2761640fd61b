// What the benefits of a check come to, without a screen.
import type { Schemas } from "../../api/client";
import { cents, words } from "../../ui/format";

type Procedure = Schemas["ProcedureBenefit"];

/** Verdict is what a check comes to, in words that can be said to the patient. */
export type Verdict = Schemas["Verdict"];

/** ageOf returns for how many days an answer has stood, and whether the patient should be asked about again: after a
 *  week, or in a later month, since plans change with the month. */
export function ageOf(checked: string, today: string): { days: number; old: boolean } {
  const days = Math.max(0, Math.round((Date.parse(today) - Date.parse(checked)) / 86_400_000));
  return { days, old: days >= 7 || checked.slice(0, 7) !== today.slice(0, 7) };
}

/** usedOf returns how much of an amount is used, and which share of it; null for what the payer did not say. */
export function usedOf(a: Pick<Schemas["BenefitAmount"], "amount" | "used" | "remaining">): {
  used: string | null;
  share: number | null;
} {
  const used =
    a.used ??
    (a.amount && a.remaining ? ((cents(a.amount) - cents(a.remaining)) / 100).toFixed(2) : null);
  const share =
    a.amount && used && cents(a.amount) > 0
      ? Math.min(100, Math.max(0, (100 * cents(used)) / cents(a.amount)))
      : null;
  return { used, share };
}

/** byCode returns procedures in the order of their codes. */
export function byCode<P extends { code: string }>(rows: readonly P[]): P[] {
  return [...rows].sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** eligibleNow reports whether the day from which the plan pays again has come. */
export function eligibleNow(p: Pick<Procedure, "next_eligible_date">, today: string): boolean {
  return p.next_eligible_date !== null && p.next_eligible_date <= today;
}

const periods: Record<string, string> = {
  calendar_year: "this year",
  plan_year: "this benefit year",
  lifetime: "in a lifetime",
};

/** often returns a frequency in words, such as 2 times per calendar year, 1 of 2 used this year. */
export function often(f: Schemas["Frequency"] | null, maxAge?: number | null): string | null {
  const limit =
    f &&
    [
      f.count != null && (f.count === 1 ? "once" : `${f.count} times`),
      f.period && `per ${words(f.period).toLowerCase()}`,
      f.scope && `(${words(f.scope).toLowerCase()})`,
    ]
      .filter(Boolean)
      .join(" ");
  const used =
    f?.used != null &&
    f.count != null &&
    `${f.used} of ${f.count} used${f.period ? ` ${periods[f.period] ?? `per ${f.period}`}` : ""}`;
  return [limit, used, maxAge != null && `up to age ${maxAge}`].filter(Boolean).join(", ") || null;
}
