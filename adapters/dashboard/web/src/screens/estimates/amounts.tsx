// What an estimate comes to: what the patient pays, and of each service why.
import { printable, words } from "../../ui/format";
import { Notice, Section } from "../../ui/page";
import { Table } from "../../ui/table";
import { between, type Estimate, type EstimateLine, hasAny, sayings } from "./lines";

/** Outcome shows the amounts of an estimate, with all of its reasons if it is open. */
export function Outcome({ of: e, open }: { of: Estimate; open?: boolean }) {
  const t = e.totals;
  const two = e.secondary_eligibility_id !== null;
  const others = [
    `the plan pays ${between(t.plan_pays)}`,
    two && `the second plan ${between(t.second_plan_pays)}`,
    hasAny(t.write_off) && `the office writes off ${between(t.write_off)}`,
  ];
  const also = sayings([e.lines.flatMap((l) => l.warnings), e.uncertain]);
  return (
    <>
      <div role="status">
        <Notice title={`The patient pays ${between(t.patient_pays)}.`}>
          <p>{`Of the fees of ${between(t.fee)}, ${others.filter(Boolean).join(", ")}.`}</p>
        </Notice>
      </div>
      <Section title="Services" flush>
        <Table
          caption="Services"
          rows={e.lines.map((line, at) => ({ line, at }))}
          id={(r) => String(r.at)}
          columns={[
            { head: "Service", cell: (r) => <Named of={r.line} /> },
            { head: "Fee", right: true, cell: (r) => between(r.line.fee) },
            { head: "Allowed", right: true, cell: (r) => between(r.line.allowed) },
            { head: "Plan pays", right: true, cell: (r) => between(r.line.plan_pays) },
            ...(two
              ? [
                  {
                    head: "Second plan",
                    right: true,
                    cell: (r: { line: EstimateLine }) => between(r.line.second_plan_pays),
                  },
                ]
              : []),
            {
              head: "Patient pays",
              right: true,
              cell: (r) => <span className="strong">{between(r.line.patient_pays)}</span>,
            },
          ]}
          open={(r) => <Why of={r.line} open={open ?? false} />}
        />
      </Section>
      {also.length > 0 && (
        <Section title="What else may change it">
          <Sentences of={also} />
        </Section>
      )}
    </>
  );
}

/** Named shows the procedure of a line with its code and its tooth. */
function Named({ of: l }: { of: EstimateLine }) {
  const parts = [
    l.procedure_code,
    l.tooth && `tooth ${l.tooth}`,
    l.quantity > 1 && `${l.quantity} times`,
  ];
  return (
    <span>
      <span className="strong">{words(l.procedure)}</span>
      <span className="sub">{parts.filter(Boolean).join(", ")}</span>
    </span>
  );
}

/** Why shows how the amounts of a line come about, and what may change them. */
function Why({ of: l, open }: { of: EstimateLine; open: boolean }) {
  return (
    <details className="estimate-why" open={open}>
      <summary>{`Why, for ${l.procedure}`}</summary>
      <div className="stack-s">
        <ol>
          {l.because.map((b) => (
            <li key={b.text}>{b.text}</li>
          ))}
        </ol>
        {l.unless.length > 0 && (
          <ul>
            {l.unless.map((u) => (
              <li key={u.text}>{conditional(u)}</li>
            ))}
          </ul>
        )}
        <Sentences of={l.uncertain} />
      </div>
    </details>
  );
}

/** conditional returns a condition as a sentence. */
export function conditional(u: EstimateLine["unless"][number]): string {
  return `If ${u.text}, the patient pays ${between(u.patient_pays)}.`;
}

function Sentences({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <ul className="muted">
      {of.map((s) => (
        <li key={s}>{printable(s)}</li>
      ))}
    </ul>
  );
}
