// How a payment and a claim are alike, for the person who decides whether they belong
// together.
import type { Schemas } from "../../api/client";
import { cents, day, dollars, name, printable } from "../../ui/format";

type Payment = Pick<
  Schemas["ERAClaim"],
  "patient_name" | "member_id" | "patient_control_number" | "charge" | "paid" | "service_dates"
>;
type Claim = Pick<
  Schemas["Claim"],
  | "patient_name"
  | "patient_control_number"
  | "totals"
  | "open"
  | "service_dates"
  | "subscriber"
  | "payment"
  | "state"
>;

/** Side is one thing that the payment and the claim both state. Same is null when one of them does not. */
export type Side = {
  what: string;
  payer: string | null;
  claim: string | null;
  same: boolean | null;
};

/** plain returns the letters and digits of a text, without accents and case, as the service compares them. */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

const named = (p: Payment["patient_name"]): string | null =>
  p.first_name || p.last_name ? printable(name(p)) : null;

/** cut is the number of characters from which the beginning of a control number counts as the number, because
 *  payers cut it. */
const cut = 8;

/** compared returns what the payment and the claim state. */
export function compared(p: Payment, c: Claim): Side[] {
  const side = (
    what: string,
    payer: string | null,
    claim: string | null,
    same = plain(payer ?? "") === plain(claim ?? ""),
  ): Side => ({ what, payer, claim, same: payer && claim ? same : null });
  const [theirs, ours] = [plain(p.patient_control_number), plain(c.patient_control_number)];
  const date = (d: string | null) => d && day(d);
  return [
    side("patient", named(p.patient_name), named(c.patient_name)),
    side("member ID", p.member_id && printable(p.member_id), c.subscriber?.member_id ?? null),
    side(
      "control number",
      printable(p.patient_control_number) || null,
      c.patient_control_number,
      theirs === ours || (theirs.length >= cut && ours.startsWith(theirs)),
    ),
    side("service date", date(p.service_dates.first), date(c.service_dates.first)),
    side(
      "charge",
      dollars(p.charge),
      dollars(c.totals.charge),
      Math.abs(cents(p.charge)) === cents(c.totals.charge),
    ),
    side(
      "open amount",
      `${dollars(p.paid)} paid`,
      c.open && dollars(c.open),
      c.open !== null && cents(p.paid) <= cents(c.open),
    ),
  ];
}

const weights: Record<string, number> = {
  patient: 4,
  "member ID": 4,
  "control number": 5,
  "service date": 2,
  charge: 3,
  "open amount": 2,
};

/** likeness is higher for the claim that the payment more likely belongs to. */
export const likeness = (p: Payment, c: Claim): number =>
  compared(p, c).reduce((n, s) => n + (s.same ? (weights[s.what] ?? 0) : 0), 0);

/** doubts returns in sentences why the payment may not belong to the claim; none if nothing speaks against it. */
export function doubts(p: Payment, c: Claim): string[] {
  const [patient, member] = compared(p, c);
  const other = patient?.same === false || (patient?.same === null && member?.same === false);
  const of = c.payment && `${dollars(c.payment.paid)} of ${dollars(c.totals.charge)}`;
  const open = c.open === null ? "" : `, and ${dollars(c.open)} is open`;
  return [
    other
      ? `The payer names ${patient?.payer ?? member?.payer}. The claim is for ${named(c.patient_name)}.`
      : null,
    of && `The payers have paid ${of} for this claim${open}.`,
    c.state === "returned" ? "The claim has an estimate already." : null,
  ].filter((d) => d !== null);
}
