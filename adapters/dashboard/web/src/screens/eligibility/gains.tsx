// What an answer has beside the shares and amounts that it shows: who the payer has on file, waiting
// periods, and the benefits out of network.
import type { Schemas } from "../../api/client";
import { Day, Money, printable, words } from "../../ui/format";
import { Go } from "../../ui/link";
import { Facts, Notice, Section } from "../../ui/page";
import { Table } from "../../ui/table";
import { Amount, type Kind, paid } from "./answer";
import { often } from "./benefits";
import type { CheckResource } from "./list";
import { said, valueName } from "./values";

/** Differs names what the payer has on file otherwise than what was asked. */
export function Differs({ check: c }: { check: CheckResource }) {
  if (!c.differences?.length) return null;
  return (
    <Notice tone="warn" title="The payer has other details on file. Compare them before you bill.">
      {c.differences.map((d) => (
        <p key={d.field}>
          {words(d.field.replace(".", " "))}: you sent <strong>{printable(d.sent)}</strong>, the
          payer has <strong>{printable(d.returned)}</strong>.
        </p>
      ))}
    </Notice>
  );
}

/** Changed lists what the payer returned otherwise than the last time. */
export function Changed({ check: c }: { check: CheckResource }) {
  if (!c.compared_with || !c.changes?.length) return null;
  return (
    <Section
      title="What changed"
      actions={<Go to={`/eligibility/${c.compared_with}`}>The check before this one</Go>}
    >
      <Facts
        items={c.changes.map((x) => [
          valueName(x.path, c, x.before ?? x.after),
          `${said(x.before)} → ${said(x.after)}`,
        ])}
      />
    </Section>
  );
}

/** Waits lists the waiting periods by category. */
export function Waits({ of }: { of: CheckResource["waiting_periods"] }) {
  if (!of?.length) return null;
  return (
    <Section title="Waiting periods">
      <Facts
        items={of.map((w) => [
          words(w.category),
          <span key={w.category}>
            {w.months != null && `${w.months} months from the start of the coverage`}
            {w.months != null && w.until && ", "}
            {w.until && (
              <>
                benefits from <Day value={w.until} />
              </>
            )}
          </span>,
        ])}
      />
    </Section>
  );
}

/** copayment is the column of copayments; none if no row has one. */
export const copayment = <R extends { copay?: string | null }>(rows: readonly R[]) =>
  rows.some((r) => r.copay)
    ? [
        {
          head: "Copayment",
          right: true,
          cell: (r: R) => r.copay && <Money value={r.copay} />,
        },
      ]
    : [];

/** OutOfNetwork shows where the benefits out of network differ. */
export function OutOfNetwork({ of }: { of: CheckResource["out_of_network"] }) {
  if (!of) return null;
  const amounts: [Schemas["BenefitAmount"], Kind][] = [
    ...of.maximums.map((a): [Schemas["BenefitAmount"], Kind] => [a, "maximum"]),
    ...of.deductibles.map((a): [Schemas["BenefitAmount"], Kind] => [a, "deductible"]),
  ];
  return (
    <Section title="Out of network" flush={of.coverage.length > 0}>
      {amounts.length > 0 && (
        <ul className="plain amounts">
          {amounts.map(([a, kind], i) => (
            <Amount key={i} of={a} kind={kind} />
          ))}
        </ul>
      )}
      {of.coverage.length > 0 && (
        <Table
          caption="Coverage out of network"
          rows={of.coverage}
          id={(r) => r.category}
          columns={[
            { head: "Category", cell: (r) => <span className="strong">{words(r.category)}</span> },
            { head: "Plan pays", right: true, cell: (r) => paid(r) },
            ...copayment(of.coverage),
            { head: "How often", cell: (r) => often(r.frequency) },
          ]}
        />
      )}
    </Section>
  );
}
