// The answer of a payer: what is left, what the plan pays for, and what the payer did not say. On paper for the patient
// it has no codes and none of the payer's notes.
import { Check as Tick } from "lucide-react";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { cents, Day, Money, None, printable, useToday, words } from "../../ui/format";
import { Facts, Section } from "../../ui/page";
import { procedureName } from "../../ui/procedures";
import { Badge, type Tone } from "../../ui/state";
import { Table } from "../../ui/table";
import { byCode, eligibleNow, often, usedOf } from "./benefits";
import { copayment, OutOfNetwork, Waits } from "./gains";
import type { CheckResource } from "./list";
import { missing } from "./missing";

type Procedure = Schemas["ProcedureBenefit"];

/** Answer shows the benefits of an answered check to the office, or on a sheet for the patient. A brief one has, of
 *  procedures, only those that were asked. */
export function Answer({
  check: c,
  office,
  brief,
}: {
  check: CheckResource;
  office: boolean;
  brief?: boolean;
}) {
  const procedures = (c.procedures ?? []).filter(
    (p) => !brief || c.request.procedure_codes.includes(p.code),
  );
  return (
    <>
      <div className="columns">
        <div>
          <Amounts check={c} />
          {c.coverage && c.coverage.length > 0 && <Categories rows={c.coverage} office={office} />}
        </div>
        <div>
          <PlanFacts check={c} />
          <div className={office ? "no-print" : undefined}>
            <Waits of={c.waiting_periods} />
          </div>
          {office && c.plan_rules && <Rules rules={c.plan_rules} />}
        </div>
      </div>
      {office && <OutOfNetwork of={c.out_of_network} />}
      {procedures.length > 0 && <Procedures rows={procedures} office={office} />}
      {office && c.payer_notes && c.payer_notes.length > 0 && (
        <Section title="The payer's notes">
          <ul>
            {c.payer_notes.map((n, i) => (
              <li key={i} className="wrap-anywhere">
                {printable(n)}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {office && c.status !== "inactive" && c.not_returned && c.not_returned.length > 0 && (
        <Section title="What the payer did not return">
          <p className="muted">
            Ask the payer by phone if you need it: {c.not_returned.map(missing).join(", ")}.
          </p>
        </Section>
      )}
      {!office && (
        <p>
          This is what your insurance told us on the day above. It is no promise of payment: your
          insurance decides when it gets the claim.
        </p>
      )}
    </>
  );
}

function Amounts({ check: c }: { check: CheckResource }) {
  const amounts = [
    ...(c.maximums ?? []).map((a) => ({ a, kind: "maximum" as const })),
    ...(c.deductibles ?? []).map((a) => ({ a, kind: "deductible" as const })),
  ];
  if (amounts.length === 0) return null;
  return (
    <Section title="Maximums and deductibles">
      <ul className="plain amounts">
        {amounts.map(({ a, kind }, i) => (
          <Amount key={i} of={a} kind={kind} />
        ))}
      </ul>
    </Section>
  );
}

export type Kind = "maximum" | "deductible";

/** labelOf names a maximum or a deductible. */
function labelOf(a: Schemas["BenefitAmount"], kind: Kind): string {
  return [
    `${words(a.level)} ${kind}`,
    words(a.period).toLowerCase(),
    a.applies_to && printable(words(a.applies_to).toLowerCase()),
  ]
    .filter(Boolean)
    .join(", ");
}

/** Amount shows how much of a maximum is used, or how much of a deductible is paid. */
export function Amount({ of: a, kind }: { of: Schemas["BenefitAmount"]; kind: Kind }) {
  const { used, share } = usedOf(a);
  const nothing =
    a.remaining !== null && cents(a.remaining) <= 0 && (a.amount === null || cents(a.amount) > 0);
  const verb = kind === "maximum" ? "used" : "paid";
  return (
    <li>
      <div className="spread">
        <span>{labelOf(a, kind)}</span>
        <span className="row">
          {nothing && kind === "maximum" && <Badge tone="warn">Used up</Badge>}
          {nothing && kind === "deductible" && (
            <span className="met">
              <Tick size={16} aria-hidden /> Met
            </span>
          )}
          {nothing && kind === "deductible" ? (
            <Money value={a.amount} />
          ) : (
            <Left of={a} kind={kind} />
          )}
        </span>
      </div>
      {share !== null && (
        <>
          <div
            className={`bar${nothing && kind === "maximum" ? " bar-up" : ""}`}
            role="img"
            aria-label={`${Math.round(share)}% is ${verb}`}
          >
            <div style={{ width: `${share}%` }} />
          </div>
          <p className="muted small no-print">
            <Money value={used} /> {verb}
          </p>
        </>
      )}
    </li>
  );
}

/** Left shows what is left of an amount. */
function Left({ of: a, kind }: { of: Schemas["BenefitAmount"]; kind: Kind }) {
  if (a.remaining === null) return <Money value={a.amount} />;
  return (
    <span>
      <strong>
        <Money value={a.remaining} />
      </strong>{" "}
      {kind === "maximum" ? "left" : "left to pay"}
      {a.amount !== null && (
        <>
          {" "}
          of <Money value={a.amount} />
        </>
      )}
    </span>
  );
}

/** paid returns what the plan pays for a category. */
export function paid(r: NonNullable<CheckResource["coverage"]>[number]): ReactNode {
  if (r.covered === false) return "Not covered";
  return r.percent_paid == null ? <NotSaid /> : `${r.percent_paid}%`;
}

function Categories({
  rows,
  office,
}: {
  rows: NonNullable<CheckResource["coverage"]>;
  office: boolean;
}) {
  return (
    <Section title="What the plan pays" flush>
      <Table
        caption="Coverage by category"
        rows={rows}
        id={(r) => r.category}
        columns={[
          {
            head: "Category",
            cell: (r) => <span className="strong">{words(r.category)}</span>,
          },
          { head: "Plan pays", right: true, cell: (r) => paid(r) },
          ...copayment(rows),
          { head: "How often", cell: (r) => often(r.frequency) ?? <NotSaid /> },
          ...(office
            ? [
                {
                  head: "Notes",
                  wide: true,
                  cell: (r: (typeof rows)[number]) => printable(r.notes.join(" ")) || <NotSaid />,
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}

function PlanFacts({ check: c }: { check: CheckResource }) {
  return (
    <Section title="Plan">
      <Facts
        items={[
          ["Plan", said(c.plan?.name)],
          ["Type", said(c.plan?.type)],
          ["Group", said(c.plan?.group_number)],
          [
            "Network",
            c.network_status ? (
              <Badge key="n" tone={c.network_status === "in_network" ? "good" : "warn"}>
                {words(c.network_status)}
              </Badge>
            ) : null,
          ],
          ["Benefit period", said(c.plan?.benefit_period && words(c.plan.benefit_period))],
          ["Covered from", <Day key="f" value={c.coverage_effective_date} />],
          ["Covered until", <Day key="u" value={c.coverage_termination_date} />],
        ]}
      />
    </Section>
  );
}

function Rules({ rules }: { rules: NonNullable<CheckResource["plan_rules"]> }) {
  return (
    <Section title="Rules of the plan">
      <Facts
        items={Object.entries(rules)
          .filter(([, v]) => v)
          .map(([k, v]) => [words(k), v === "prep_date" || v === "seat_date" ? words(v) : v])}
      />
      {Object.values(rules).every((v) => !v) && <p className="muted">The payer named none.</p>}
    </Section>
  );
}

/** Procedures lists what the payer says of single procedures. A patient sees those that have a name. */
function Procedures({ rows, office }: { rows: readonly Procedure[]; office: boolean }) {
  const today = useToday();
  const shown = byCode(rows).filter((p) => office || procedureName(p.code));
  return (
    <Section title="Procedures" flush>
      <Table
        caption="Procedures"
        rows={shown}
        id={(p) => p.code}
        columns={[
          {
            head: "Procedure",
            cell: (p) => <Name of={p} office={office} />,
          },
          { head: "Today", cell: (p) => <Due procedure={p} office={office} /> },
          {
            head: "Plan pays",
            right: true,
            cell: (p) => (p.percent_paid == null ? <NotSaid /> : `${p.percent_paid}%`),
          },
          ...copayment(shown),
          {
            head: "How often",
            cell: (p) => often(p.frequency, p.max_age) ?? <NotSaid />,
          },
          { head: "Last done", cell: (p) => <Day value={p.last_service_date} /> },
          {
            head: "Next eligible",
            cell: (p) =>
              eligibleNow(p, today) ? "Eligible now" : <Day value={p.next_eligible_date} />,
          },
        ]}
      />
    </Section>
  );
}

/** Name shows a procedure with its code, its plain name and the payer's note. */
function Name({ of: p, office }: { of: Procedure; office: boolean }) {
  const plain = procedureName(p.code);
  if (!office) return <span className="strong">{words(plain)}</span>;
  return (
    <div>
      <span className="strong">{p.code}</span>{" "}
      {plain ? words(plain) : p.description && printable(p.description)}
      {p.note && <span className="sub wrap-anywhere">{printable(p.note)}</span>}
    </div>
  );
}

/** said returns a payer's text to show, or nothing. */
const said = (text: string | null | undefined) => text && printable(text);

const NotSaid = () => <None said="not stated" />;

const due: Record<string, [string, Tone]> = {
  covered_now: ["Covered now", "good"],
  not_due_yet: ["Not due yet", "warn"],
  downgraded: ["Paid as a cheaper one", "warn"],
  age_limit: ["Outside the age limit", "bad"],
  not_covered: ["Not covered", "bad"],
};

function Due({ procedure: p, office }: { procedure: Procedure; office: boolean }) {
  if (office && p.status === "downgraded" && p.alternate_code)
    return <Badge tone="warn">{`Paid as ${p.alternate_code}`}</Badge>;
  const known = p.status && due[p.status];
  return known ? <Badge tone={known[1]}>{known[0]}</Badge> : <NotSaid />;
}
