// The figures of a claim: where its charge went, and what of it is on which line.
import type { Schemas } from "../../api/client";
import { cents } from "../../ui/format";
import { money } from "../remittances/standing";

type Claim = Schemas["Claim"];

const sum = (amounts: string[]) => amounts.reduce((n, a) => n + cents(a), 0);

/** settled returns where the charge went, as the payers and people decided: the amounts add up to the charge. What
 *  the claims to the other payers settle is the rest, as the service computes what is open. */
export function settled(c: Claim): [name: string, amount: string][] {
  if (!c.payment) return [];
  const open = cents(c.open ?? "0.00");
  const accepted = sum(c.accepted.flatMap((a) => a.lines.map((l) => l.amount)));
  const here = sum([c.contractual ?? "0.00", c.payment.paid, c.payment.patient_responsibility]);
  const others = cents(c.totals.charge) - here - accepted - open;
  return [
    ["Write-off", c.contractual ?? "0.00"],
    ["Paid", c.payment.paid],
    ...(others === 0 ? [] : ([["Other payers", money(others)]] as [string, string][])),
    ["Patient owes", c.payment.patient_responsibility],
    ...(accepted === 0 ? [] : ([["Accepted", money(accepted)]] as [string, string][])),
    [open < 0 ? "Overpaid" : "Open", money(open)],
  ];
}

/** estimated returns where the charge would go: the amounts add up to it. */
export function estimated(c: Claim): [name: string, amount: string][] {
  if (!c.estimate) return [];
  const { pay, patient } = c.estimate;
  return [
    ["Not allowed", money(cents(c.totals.charge) - sum([pay, patient]))],
    ["Plan pays", pay],
    ["Patient pays", patient],
  ];
}

/** paidOn returns what payers paid for a line, or would pay: what a reversal takes back counts against it. It is null
 *  while no payer decided the line. */
export function paidOn(c: Claim, line: number) {
  const lines =
    c.kind === "predetermination"
      ? (c.estimate?.lines ?? []).map((l) => ({ ...l, paid: l.pay }))
      : c.adjudications.flatMap((a) => a.lines);
  const of = lines.filter((l) => l.line_number === line);
  return of.length === 0 ? null : money(sum(of.map((l) => l.paid)));
}

/** paidOnNone returns what payers paid that is on no line of the claim. */
export function paidOnNone(c: Claim): string {
  const all =
    c.kind === "predetermination"
      ? [c.estimate?.pay ?? "0.00"]
      : c.adjudications.map((a) => a.paid);
  return money(sum(all) - sum(c.lines.map((_, i) => paidOn(c, i + 1) ?? "0.00")));
}
