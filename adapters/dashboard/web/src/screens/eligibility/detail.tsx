// The answer as a front desk reads it: is the patient covered, what is left,
// what the plan pays for, and what the payer did not say.
import { useParams } from "@tanstack/react-router";
import { FilePlus2, Printer, RotateCcw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../ui/button";
import { Copy, CopyAsCurl } from "../../ui/copy";
import { cents, Day, day, Money, None, name, printable, When, words } from "../../ui/format";
import { Go } from "../../ui/link";
import { Facts, Notice, Page, Read, Section, Waiting } from "../../ui/page";
import { Scrolled } from "../../ui/scrolled";
import { Badge, type Tone } from "../../ui/state";
import { Table } from "../../ui/table";
import { Traces } from "../../ui/traces";
import { CheckForm } from "./form";
import { copayment, Differs, OutOfNetwork, Waits } from "./gains";
import { type CheckResource, Coverage } from "./list";
import { missing } from "./missing";
import "./eligibility.css";

export function CheckDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api, mode } = useClient();
  const may = useMay();
  const check = api.useQuery(
    "get",
    "/eligibility/{id}",
    { params: { path: { id } } },
    { refetchInterval: (q) => (q.state.data?.state === "pending" ? 2000 : false) },
  );
  const { office_id = "" } = check.data ?? {};
  const office = api.useQuery(
    "get",
    "/offices/{id}",
    { params: { path: { id: office_id } } },
    { enabled: office_id !== "" },
  );
  if (!check.data) return <Waiting title="Check" rows={10} of={check} />;
  const c = check.data;
  const who = c.request.patient ?? c.request.subscriber;
  const sheet = [
    office.data?.name,
    `${name(who)}, born ${day(who.date_of_birth)}`,
    `Member ID ${c.request.subscriber.member_id}`,
  ];
  return (
    <Page
      title={name(who)}
      above={<Go to="/eligibility">Eligibility</Go>}
      printed={
        <p>
          {mode === "test" && <strong>Test mode: not a real payer’s answer. </strong>}
          {sheet.filter(Boolean).join(" · ")} · checked <When value={c.created_at} full />
        </p>
      }
      about={
        <>
          <Coverage check={c} />
          <span>{c.payer.name}</span>
          <span>
            for <Day value={c.request.service_date} />
          </span>
          <span>
            checked <When value={c.created_at} full />
          </span>
        </>
      }
      actions={
        <>
          <CopyAsCurl path={`/eligibility/${c.id}`} />
          {c.outcome === "answered" && (
            <Button icon={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
              Print
            </Button>
          )}
          {may.write && c.outcome === "answered" && (
            <ButtonLink
              icon={<RotateCcw size={16} aria-hidden />}
              to="/eligibility/new"
              search={{ again: c.id }}
            >
              Check again
            </ButtonLink>
          )}
          {may.write && c.status === "active" && (
            <ButtonLink
              look="primary"
              icon={<FilePlus2 size={16} aria-hidden />}
              to="/claims/new"
              search={{ check_id: c.id }}
            >
              New claim
            </ButtonLink>
          )}
        </>
      }
    >
      <Says check={c} />
      <Differs check={c} />
      {c.outcome === "answered" && <Answer check={c} />}
      <Asked check={c} />
      <Traces id={c.id} path={`/eligibility/${c.id}`} />
    </Page>
  );
}

/** Says is the first thing that one needs to know. */
function Says({ check: c }: { check: CheckResource }) {
  const may = useMay();
  if (c.state === "pending")
    return (
      <Notice title="The payer has not responded yet.">
        This page shows the response when it arrives.
      </Notice>
    );
  if (c.outcome === "payer_unavailable")
    return (
      <Notice
        tone="warn"
        title={`${c.payer.name} is not responding right now.`}
        action={may.write && <TryAgain check={c} />}
      >
        Molar could not reach the payer. What you entered is not the cause.
      </Notice>
    );
  if (c.outcome === "error")
    return (
      <Notice
        tone="bad"
        title="The check failed on the way to the payer."
        action={may.write && <TryAgain check={c} />}
      >
        What you entered is not the cause.
      </Notice>
    );
  if (c.outcome === "rejected") {
    const reasons = c.rejection?.reasons ?? [];
    return (
      <>
        <Notice
          tone="bad"
          title={printable(reasons[0]?.message ?? "The payer rejected the check.")}
        >
          {reasons.map((r) => (
            <p key={r.code}>
              {r.fix}
              {r.suggested_value && (
                <>
                  {" "}
                  The payer has <strong>{printable(r.suggested_value)}</strong>.
                </>
              )}
            </p>
          ))}
        </Notice>
        {c.rejection?.kind === "fix_and_resend" && may.write && (
          <Section title="Correct it and send it again">
            <CheckForm from={c} corrects />
          </Section>
        )}
      </>
    );
  }
  if (c.status === "inactive")
    return (
      <Notice tone="bad" title={`Not covered on ${day(c.request.service_date)}.`}>
        {c.coverage_termination_date
          ? `The coverage ended on ${day(c.coverage_termination_date)}. `
          : ""}
        Ask the patient for another plan before the visit.
      </Notice>
    );
  if (c.status === "unknown")
    return (
      <Notice tone="warn" title="The payer does not say whether the patient is covered.">
        Ask {c.payer.name} by phone before the visit.
      </Notice>
    );
  const used = (c.maximums ?? []).filter((m) => m.remaining !== null && cents(m.remaining) <= 0);
  if (used.length === 0) return null;
  return (
    <Notice tone="warn" title="Maximum used">
      {used.map((m) => (
        <p key={labelOf(m, "maximum")}>
          {labelOf(m, "maximum")}: the plan pays nothing more
          {m.amount !== null && (
            <>
              {" "}
              beyond <Money value={m.amount} />
            </>
          )}
          .
        </p>
      ))}
    </Notice>
  );
}

function TryAgain({ check: c }: { check: CheckResource }) {
  return (
    <ButtonLink to="/eligibility/new" search={{ again: c.id }}>
      Try again
    </ButtonLink>
  );
}

/** paid returns what the plan pays for a category. */
export function paid(r: NonNullable<CheckResource["coverage"]>[number]): ReactNode {
  if (r.covered === false) return "Not covered";
  return r.percent_paid == null ? <NotSaid /> : `${r.percent_paid}%`;
}

function Answer({ check: c }: { check: CheckResource }) {
  const amounts = [
    ...(c.maximums ?? []).map((a) => ({ a, kind: "maximum" })),
    ...(c.deductibles ?? []).map((a) => ({ a, kind: "deductible" })),
  ];
  return (
    <>
      <div className="columns">
        <div>
          {amounts.length > 0 && (
            <Section title="Maximums and deductibles">
              <ul className="plain amounts">
                {amounts.map(({ a, kind }, i) => (
                  <Amount key={i} of={a} kind={kind} />
                ))}
              </ul>
            </Section>
          )}
          {c.coverage && c.coverage.length > 0 && (
            <Section title="What the plan pays" flush>
              <Table
                caption="Coverage by category"
                rows={c.coverage}
                id={(r) => r.category}
                columns={[
                  {
                    head: "Category",
                    cell: (r) => <span className="strong">{words(r.category)}</span>,
                  },
                  {
                    head: "Plan pays",
                    right: true,
                    cell: (r) => paid(r),
                  },
                  ...copayment(c.coverage),
                  { head: "How often", cell: (r) => often(r.frequency) ?? <NotSaid /> },
                  {
                    head: "Notes",
                    wide: true,
                    cell: (r) => printable(r.notes.join(" ")) || <NotSaid />,
                  },
                ]}
              />
            </Section>
          )}
        </div>
        <div>
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
                ["Benefit period", said(c.plan?.benefit_period)],
                ["Covered from", <Day key="f" value={c.coverage_effective_date} />],
                ["Covered until", <Day key="u" value={c.coverage_termination_date} />],
              ]}
            />
          </Section>
          <Waits of={c.waiting_periods} />
          {c.plan_rules && (
            <Section title="Rules of the plan">
              <Facts
                items={Object.entries(c.plan_rules)
                  .filter(([, v]) => v)
                  .map(([k, v]) => [
                    words(k),
                    v === "prep_date" || v === "seat_date" ? words(v) : v,
                  ])}
              />
              {Object.values(c.plan_rules).every((v) => !v) && (
                <p className="muted">The payer named none.</p>
              )}
            </Section>
          )}
        </div>
      </div>
      <OutOfNetwork of={c.out_of_network} />
      {c.procedures && c.procedures.length > 0 && (
        <Section title="Procedures" flush>
          <Table
            caption="Procedures"
            rows={c.procedures}
            id={(p) => p.code}
            columns={[
              {
                head: "Procedure",
                cell: (p) => (
                  <>
                    <span className="strong">{p.code}</span>{" "}
                    {p.description && printable(p.description)}
                  </>
                ),
              },
              { head: "Today", cell: (p) => <Due procedure={p} /> },
              {
                head: "Plan pays",
                right: true,
                cell: (p) => (p.percent_paid == null ? <NotSaid /> : `${p.percent_paid}%`),
              },
              ...copayment(c.procedures),
              {
                head: "How often",
                cell: (p) =>
                  [often(p.frequency), p.max_age != null && `up to age ${p.max_age}`]
                    .filter(Boolean)
                    .join(", ") || <NotSaid />,
              },
              { head: "Last done", cell: (p) => <Day value={p.last_service_date} /> },
              { head: "Next eligible", cell: (p) => <Day value={p.next_eligible_date} /> },
            ]}
            open={(p) => p.note && <p className="muted small wrap-anywhere">{printable(p.note)}</p>}
          />
        </Section>
      )}
      {c.payer_notes && c.payer_notes.length > 0 && (
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
      {c.status !== "inactive" && c.not_returned && c.not_returned.length > 0 && (
        <Section title="What the payer did not return">
          <p className="muted">
            Ask the payer by phone if you need it: {c.not_returned.map(missing).join(", ")}.
          </p>
        </Section>
      )}
    </>
  );
}

/** said returns a payer's text to show, or nothing. */
const said = (text: string | null | undefined) => text && printable(text);

const NotSaid = () => <None said="not stated" />;

/** Amount shows how much of a maximum or deductible is used. */
/** labelOf names a maximum or a deductible. */
const labelOf = (a: Schemas["BenefitAmount"], kind: string): string =>
  [
    `${words(a.level)} ${kind}`,
    words(a.period).toLowerCase(),
    a.applies_to && printable(a.applies_to.toLowerCase()),
  ]
    .filter(Boolean)
    .join(", ");

export function Amount({ of: a, kind }: { of: Schemas["BenefitAmount"]; kind: string }) {
  const used =
    a.used ??
    (a.amount && a.remaining ? ((cents(a.amount) - cents(a.remaining)) / 100).toFixed(2) : null);
  const share =
    a.amount && used && cents(a.amount) > 0
      ? Math.min(100, Math.max(0, (100 * cents(used)) / cents(a.amount)))
      : null;
  return (
    <li>
      <div className="spread">
        <span>{labelOf(a, kind)}</span>
        <span>
          {a.remaining !== null ? (
            <>
              <strong>
                <Money value={a.remaining} />
              </strong>{" "}
              left
              {a.amount !== null && (
                <>
                  {" "}
                  of <Money value={a.amount} />
                </>
              )}
            </>
          ) : (
            <Money value={a.amount} />
          )}
        </span>
      </div>
      {share !== null && (
        <div className="bar" role="img" aria-label={`${Math.round(share)}% is used`}>
          <div style={{ width: `${share}%` }} />
        </div>
      )}
    </li>
  );
}

/** often returns a frequency in words, such as 2 times per calendar year. */
export function often(f: Schemas["Frequency"] | null): string | null {
  if (!f) return null;
  return (
    [
      f.count != null && (f.count === 1 ? "once" : `${f.count} times`),
      f.period && `per ${words(f.period).toLowerCase()}`,
      f.scope && `(${words(f.scope).toLowerCase()})`,
      f.used != null && f.count != null && `· ${f.used} of ${f.count} used`,
    ]
      .filter(Boolean)
      .join(" ") || null
  );
}

const due: Record<string, [string, Tone]> = {
  covered_now: ["Covered now", "good"],
  not_due_yet: ["Not due yet", "warn"],
  downgraded: ["Paid as a cheaper one", "warn"],
  age_limit: ["Outside the age limit", "bad"],
  not_covered: ["Not covered", "bad"],
};

function Due({ procedure: p }: { procedure: Schemas["ProcedureBenefit"] }) {
  const known = p.status && due[p.status];
  if (p.alternate_code) return <Badge tone="warn">{`Paid as ${p.alternate_code}`}</Badge>;
  return known ? <Badge tone={known[1]}>{known[0]}</Badge> : <NotSaid />;
}

/** answered says where the answer came from. */
function answered(c: CheckResource): string | null {
  if (c.cache.state === "hit") return "From a response of the last 24 hours";
  const { latency_ms: latency = null } = c.source ?? {};
  return latency === null ? null : `In ${(latency / 1000).toFixed(1)} s`;
}

/** Asked shows the request, what it cost, and the messages of the network. */
function Asked({ check: c }: { check: CheckResource }) {
  const [raw, setRaw] = useState(false);
  const s = c.request.subscriber;
  const rows: [string, ReactNode][] = [
    ["Subscriber", name(s)],
    ["Born", <Day key="b" value={s.date_of_birth} />],
    ["Member ID", s.member_id],
    ["Group number", s.group_number],
    ...(c.request.patient
      ? [
          ["Patient", `${name(c.request.patient)}, ${c.request.patient.relationship}`] as [
            string,
            ReactNode,
          ],
          ["Patient born", <Day key="p" value={c.request.patient.date_of_birth} />] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ["Procedures asked", c.request.procedure_codes.join(", ") || null],
    ["Answered", answered(c)],
    ["Charge", c.billing?.label],
  ];
  return (
    <Section
      title="What was asked"
      actions={
        <Button look="quiet" aria-expanded={raw} onClick={() => setRaw(!raw)}>
          {raw ? "Hide the 270 and 271" : "Show the 270 and 271"}
        </Button>
      }
    >
      <Facts items={rows} />
      {c.parent_id && (
        <p>
          <Go to={`/eligibility/${c.parent_id}`}>The rejected check that this one corrects</Go>
        </p>
      )}
      <p className="small no-print">
        <Copy value={c.id} label="Copy the ID" />
      </p>
      {raw && <Exchange id={c.id} />}
    </Section>
  );
}

function Exchange({ id }: { id: string }) {
  const { api } = useClient();
  const exchange = api.useQuery("get", "/eligibility/{id}/exchange", { params: { path: { id } } });
  if (!exchange.data)
    return (
      <Read of={exchange} rows={3}>
        {() => null}
      </Read>
    );
  if (exchange.data.messages.length === 0)
    return <p className="muted">Nothing was sent: this is a saved response.</p>;
  const lines = (x12: string) => x12.replaceAll("~", "~\n").replaceAll("\n\n", "\n");
  return (
    <div className="stack no-print">
      {exchange.data.messages.map((m, i) => (
        <div key={i} className="exchange">
          <div>
            <h3>270</h3>
            <Scrolled label={`270, message ${i + 1}`}>{lines(m.request)}</Scrolled>
          </div>
          <div>
            <h3>271</h3>
            <Scrolled label={`271, message ${i + 1}`}>
              {m.response
                ? lines(m.response).split("\n").map(printable).join("\n")
                : "Nothing came back."}
            </Scrolled>
          </div>
        </div>
      ))}
    </div>
  );
}
