// Today: what needs a person, what waits beside it, and where the money is.
import { type Schemas, useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { Changer } from "../../ui/changer";
import { cents, day, dollars, Money, When } from "../../ui/format";
import { Go, GoTo } from "../../ui/link";
import { Facts, Notice, Page, Read, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { Badge } from "../../ui/state";
import { money, opposite } from "../remittances/standing";
import { also } from "./also";
import { Tasks } from "./tasks";
import "./today.css";

type Summary = Schemas["Summary"];

export function Today() {
  const { api } = useClient();
  // A connection of the whole deployment, for which claims wait, is not on the stream.
  const summary = api.useQuery("get", "/summary", undefined, { refetchInterval: 60_000 });
  return (
    <Page title="Today" list="/tasks">
      {summary.data && <Changes of={summary.data} />}
      <SetUp />
      <Tasks />
      <Read card of={summary} rows={8}>
        {(s) => <Content of={s} />}
      </Read>
    </Page>
  );
}

/** SetUp says where to begin, until the practice has an office and a dentist. */
function SetUp() {
  const { api } = useClient();
  const may = useMay();
  const params = { params: { query: { limit: 100 } } };
  const owner = { enabled: may.manage };
  const offices = api.useQuery("get", "/offices", params, owner);
  const dentists = api.useQuery("get", "/providers", params, owner);
  if (!offices.data || !dentists.data) return null;
  const steps = [
    {
      done: offices.data.data.length > 0,
      does: <Go to="/settings/offices">Add your office</Go>,
      why: "with its NPI and tax ID, as payers know it.",
    },
    {
      done: dentists.data.data.length > 0,
      does: <Go to="/settings/providers">Add your dentists</Go>,
      why: "who treat the patients.",
    },
    {
      done: false,
      does: <Go to="/settings/fees">Import your fees</Go>,
      why: "so that estimates and claims have them. This can wait.",
    },
  ];
  if (steps.filter((s) => s.done).length === 2) return null;
  return (
    <Section title="Set up your practice">
      <ol>
        {steps
          .filter((s) => !s.done)
          .map((s) => (
            <li key={s.why}>
              {s.does}, {s.why}
            </li>
          ))}
      </ol>
    </Section>
  );
}

/** Changes are those of offices that wait for the operator. */
function Changes({ of: s }: { of: Summary }) {
  return s.pending_offices.map((o) => (
    <Notice
      key={o.office_id}
      tone="warn"
      title={`A change to ${o.name} is waiting for the operator of this service.`}
      action={<Go to={`/settings/offices/${o.office_id}`}>See the change</Go>}
    >
      <Changer by={o.changed_by} /> changed it on <When value={o.changed_at} full />. Until then,
      claims have the verified values.
    </Notice>
  ));
}

function Content({ of: s }: { of: Summary }) {
  const work = also(s);
  return (
    <div className="columns">
      <div>
        {work.length > 0 && (
          <Section title="Also waiting" flush>
            <ul className="plain work">
              {work.map((w) => (
                <li key={w.what + w.how} className="linked">
                  <GoTo target={w.target} className="row-link">
                    <span className="work-count numbers">{w.count}</span>
                    <span className="work-what">
                      {w.what}
                      <span className="sub">{w.how}</span>
                    </span>
                  </GoTo>
                </li>
              ))}
            </ul>
          </Section>
        )}
        <Outstanding of={s} />
      </div>
      <div>
        <Where of={s.money} />
        <Activity of={s} />
        <Section title="Webhooks">
          <div className="row">
            <Badge tone="good">{`${s.webhook_endpoints.working} working`}</Badge>
            {s.webhook_endpoints.failing > 0 && (
              <Badge tone="bad">{`${s.webhook_endpoints.failing} failing`}</Badge>
            )}
            {s.webhook_endpoints.disabled > 0 && (
              <Badge tone="plain">{`${s.webhook_endpoints.disabled} disabled`}</Badge>
            )}
          </div>
          <Go to="/developers/webhooks">See the endpoints</Go>
        </Section>
      </div>
    </div>
  );
}

/** Where shows where the charge of the claims went: the amounts below it add up to it. */
function Where({ of: m }: { of: Summary["money"] }) {
  const parts: [name: string, amount: string, means: string][] = [
    ["Charged", m.charged, "Claims that were sent and not voided"],
    ["Paid by payers", together(m.paid, m.paid_elsewhere), "Reversals are subtracted"],
    ["Write-off", m.written_off, "By contract, or accepted by you"],
    [
      "Patients owe",
      together(m.patient_responsibility, m.billed_to_patient),
      "As payers say, or accepted by you",
    ],
    ["Outstanding", m.outstanding, "Not decided, refused or taken back"],
  ];
  if (cents(m.overpaid) !== 0)
    parts.push(["Overpaid", opposite(m.overpaid), "Paid or written off beyond the charge"]);
  return (
    <Section title="Submitted claims">
      <Facts
        items={parts.map(([name, amount, means]) => [
          name,
          <span key={name}>
            <Money value={amount} strong={name === "Outstanding"} />
            <span className="sub">{means}</span>
          </span>,
        ])}
      />
    </Section>
  );
}

const together = (...amounts: string[]) => money(amounts.reduce((n, a) => n + cents(a), 0));

/** Outstanding shows what payers still owe, by the age of the claims. */
function Outstanding({ of: s }: { of: Summary }) {
  const most = Math.max(1, ...s.money.by_age.map((a) => cents(a.outstanding)));
  return (
    <Section title="Outstanding by age of the claim">
      <ul className="plain ages">
        {s.money.by_age.map((a) => {
          const label =
            a.to_days === null
              ? `Over ${a.from_days - 1} days`
              : `${a.from_days} to ${a.to_days} days`;
          const search = {
            sent_from: a.sent_from ?? undefined,
            sent_to: a.sent_to ?? undefined,
            open: true,
            order: "asc",
          } as const;
          return (
            <li key={label}>
              <div className="spread">
                <Go to="/claims" search={search}>
                  {label}
                </Go>
                <strong>
                  <Money value={a.outstanding} />
                </strong>
              </div>
              <div
                className="bar"
                role="img"
                aria-label={`${dollars(a.outstanding)} outstanding, ${label.toLowerCase()}`}
              >
                <div style={{ width: `${(100 * cents(a.outstanding)) / most}%` }} />
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Activity draws the claims and checks of the last 30 days. */
function Activity({ of: s }: { of: Summary }) {
  const checks = s.activity.map((d) => d.checks.count);
  const claims = s.activity.map((d) => d.claims);
  const most = Math.max(1, ...checks, ...claims);
  const line = (values: number[]) => {
    const points = values.map((v, i) => {
      const x = (i * 300) / (values.length - 1);
      return `${x.toFixed(1)} ${(72 - (68 * v) / most).toFixed(1)}`;
    });
    return `M${points.join("L")}`;
  };
  const sum = (values: number[]) => values.reduce((n, v) => n + v, 0);
  const first = s.activity[0]?.date;
  return (
    <Section title="Last 30 days">
      <svg
        viewBox="0 0 300 76"
        className="activity"
        role="img"
        aria-label={`${count(sum(checks), "check")} and ${count(sum(claims), "claim")} in the last 30 days`}
        preserveAspectRatio="none"
      >
        <line x1="0" x2="300" y1="74" y2="74" className="axis" />
        <path d={line(checks)} className="checks" />
        <path d={line(claims)} className="claims" />
      </svg>
      <div className="spread small muted numbers">
        <span>{first && day(first)}</span>
        <span>Today</span>
      </div>
      <div className="row small">
        <span className="key key-checks">{count(sum(checks), "check")}</span>
        <span className="key key-claims">{count(sum(claims), "claim")} sent</span>
      </div>
    </Section>
  );
}
