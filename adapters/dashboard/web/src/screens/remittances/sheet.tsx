// The posting sheet of a remittance: what a biller files, on paper only. It explains the payment to
// the cent: each claim, what is on none, what the payer took off outside of claims, and the bank.
import type { ReactNode } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useMe } from "../../api/session";
import { cents, Day, Days, dollars, None, name, printable, When } from "../../ui/format";
import { count } from "../../ui/plural";
import { levelName } from "../settings/levels";
import { reasonLabel, statusLabel } from "./codes";
import { patientOf } from "./figures";
import { methodLabel, money, opposite } from "./standing";
import { adjustmentsOf, allowedOf, sums } from "./sums";

type ERA = Schemas["ERA"];
type ERAClaim = Schemas["ERAClaim"];

/** Sheet is the posting sheet. Claims are those that the page has loaded. */
export function Sheet({ era: e, claims }: { era: ERA; claims: readonly ERAClaim[] }) {
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const office = offices.data?.data.find((o) => o.id === e.office_id)?.name;
  const missing = e.counts.claims - claims.length;
  return (
    <section className="posting-sheet" aria-label="Posting sheet">
      <h2>Posting sheet</h2>
      <dl>
        <Fact name="Payer">{printable(e.payer?.name ?? e.payer_name)}</Fact>
        <Fact name="Payment">
          {methodLabel(e.payment.method)} {printable(e.payment.trace_number)}
        </Fact>
        <Fact name="Date">
          <Day value={e.payment.date} />
        </Fact>
        <Fact name="Amount">{dollars(e.payment.total)}</Fact>
        <Fact name="Paid to">{office ?? "No single office"}</Fact>
        <Fact name="Received">
          <When value={e.received_at} full />
        </Fact>
        <Fact name="Posted">
          <PostedBy era={e} />
        </Fact>
        <Fact name="Bank">
          <Bank era={e} />
        </Fact>
      </dl>
      {missing > 0 && (
        <p className="strong">
          {count(missing, "claim is", "claims are")} not on this sheet. Show them on the page, then
          print it again.
        </p>
      )}
      {claims.length > 0 && <Claims claims={claims} />}
      <Balance era={e} claims={claims} whole={missing === 0} />
    </section>
  );
}

function Fact({ name: what, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{what}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** PostedBy says who posted the remittance, by name: paper has no reader who is "you". */
function PostedBy({ era: e }: { era: ERA }) {
  const { organization, user } = useMe();
  if (e.state !== "posted") return "Not posted";
  const person =
    organization.people.find((p) => p.id === e.posted_by)?.name ??
    (e.posted_by === user?.id ? user?.name : null);
  return (
    <>
      <When value={e.posted_at} full /> {by(e, person)}
    </>
  );
}

/** by names the one who posted the remittance, if that is known. */
function by(e: ERA, person: string | null | undefined): string {
  if (e.posted_by_rule) return `by the automation (${levelName(e.posted_by_rule)})`;
  if (person) return `by ${person}`;
  return e.posted_by?.startsWith("key_") ? "by a program" : "";
}

/** Bank says where the money is. */
function Bank({ era: e }: { era: ERA }) {
  return (
    <>
      {e.bank.summary}
      {e.bank.deposits.map((d) => (
        <span key={d.deposit_id}>
          {" "}
          Deposit of <Day value={d.date} />: {dollars(d.amount)}
          {d.fee !== "0.00" && ` and ${dollars(d.fee)} of fees`}.
        </span>
      ))}
    </>
  );
}

/** became says what became of a claim; nothing of one that is applied. */
const became: Record<string, string> = {
  applied: "",
  ignored: "Ignored",
  unmatched: "Matches no claim",
  needs_review: "Needs review",
  forwarded: "Forwarded",
};

function Claims({ claims }: { claims: readonly ERAClaim[] }) {
  const total = sums(claims);
  return (
    <table>
      <thead>
        <tr>
          <th>Patient</th>
          <th>Service</th>
          <th>Charge</th>
          <th>Allowed</th>
          <th>Write-off</th>
          <th>Not paid</th>
          <th>Patient</th>
          <th>Paid</th>
        </tr>
      </thead>
      {claims.map((c) => (
        <tbody key={c.ordinal}>
          <tr>
            <td>
              <strong>{printable(name(c.patient_name))}</strong>{" "}
              {printable(c.patient_control_number)}
            </td>
            <td>
              <Days from={c.service_dates.first} to={c.service_dates.last} />
            </td>
            <Amount of={c.charge} />
            <Amount of={allowedOf(c)} />
            <Amount of={c.contractual} />
            <Amount of={c.not_paid} />
            <Amount of={patientOf(c)} />
            <Amount of={c.paid} strong />
          </tr>
          <tr className="why">
            <td colSpan={8}>{explained(c)}</td>
          </tr>
        </tbody>
      ))}
      <tfoot>
        <tr>
          <td colSpan={2}>{count(claims.length, "claim")}</td>
          <Amount of={total.charge} />
          <Amount of={total.allowed} />
          <Amount of={total.contractual} />
          <Amount of={total.not_paid} />
          <Amount of={total.patient} />
          <Amount of={total.paid} strong />
        </tr>
      </tfoot>
    </table>
  );
}

function Amount({ of, strong }: { of: string | null; strong?: boolean }) {
  return <td className={strong ? "strong" : undefined}>{of === null ? <None /> : dollars(of)}</td>;
}

/** explained says in a line why the payer paid that, and what became of it. */
function explained(c: ERAClaim): string {
  const why = adjustmentsOf(c).map(
    (a) => `${reasonLabel(a.reason)} (${a.group}-${a.reason}) ${dollars(a.amount)}`,
  );
  const remarks = c.remark_labels.map((r) => (r.label === r.code ? r.code : r.label));
  return printable(
    [
      became[c.status],
      c.status_code === "1" ? undefined : statusLabel(c.status_code),
      c.payer_claim_number && `Payer's number ${c.payer_claim_number}`,
      ...why,
      ...remarks,
      !c.balanced && "Does not add up",
    ]
      .filter(Boolean)
      .join(" · "),
  );
}

/** Balance shows how claims and provider adjustments make up the payment. */
function Balance({
  era: e,
  claims,
  whole,
}: {
  era: ERA;
  claims: readonly ERAClaim[];
  whole: boolean;
}) {
  const { applied, paid } = sums(claims);
  const { ignored, unfinished } = e.unapplied;
  const listed = e.provider_adjustments.reduce((n, a) => n + cents(a.amount), 0);
  const other = cents(e.payment.provider_adjustments_total) - listed;
  const off = cents(e.payment.total) - cents(paid) + cents(e.payment.provider_adjustments_total);
  const rest = cents(paid) - cents(applied) - cents(ignored.paid) - cents(unfinished.paid);
  const rows: [string, string][] = [
    ["On claims", applied],
    [`Ignored, on no claim (${ignored.claims.toLocaleString("en-US")})`, ignored.paid],
    [`Not allocated, on no claim (${unfinished.claims.toLocaleString("en-US")})`, unfinished.paid],
    ...(rest === 0 ? [] : ([["Forwarded or set aside", money(rest)]] as [string, string][])),
    ...e.provider_adjustments.map((a): [string, string] => [
      printable(
        [`Provider adjustment: ${a.label} (${a.reason})`, a.reference].filter(Boolean).join(", "),
      ),
      opposite(a.amount),
    ]),
    ...(other === 0 ? [] : ([["Other provider adjustments", money(-other)]] as [string, string][])),
  ];
  return (
    <>
      <table className="sheet-sums">
        <tbody>
          {whole &&
            rows.map(([what, amount], i) => (
              <tr key={i}>
                <td>{what}</td>
                <Amount of={amount} />
              </tr>
            ))}
          {whole && off !== 0 && (
            <tr>
              <td>Difference that nothing explains</td>
              <Amount of={money(off)} />
            </tr>
          )}
          <tr>
            <td className="strong">Payment</td>
            <Amount of={e.payment.total} strong />
          </tr>
        </tbody>
      </table>
      <p>
        {e.balanced ? "All amounts add up." : "The amounts do not all add up."}
        {e.parts.length > 0 &&
          ` The payment has ${count(e.parts.length, "other part")} in remittances of their own.`}
        {e.acknowledged && ` Acknowledged: ${printable(e.acknowledged.note ?? "")}`}
      </p>
      {e.balance.findings.map((f) => (
        <p key={f.explanation}>{printable(f.explanation)}</p>
      ))}
    </>
  );
}
