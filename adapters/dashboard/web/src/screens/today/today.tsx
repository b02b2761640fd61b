// Today: what needs a person, oldest first, and where the money is. One request.
import { type Schemas, useClient } from "../../api/client";
import { Changer } from "../../ui/changer";
import { CopyAsCurl } from "../../ui/copy";
import {
  cents,
  count,
  dateIn,
  day,
  daysAfter,
  dollars,
  Money,
  useZone,
  When,
} from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Facts, Failure, Loading, Notice, Page, Section } from "../../ui/page";
import { Badge, type Tone } from "../../ui/state";
import "./today.css";

type Summary = Schemas["Summary"];

export function Today() {
  const { api } = useClient();
  const summary = api.useQuery("get", "/summary", undefined, { refetchInterval: 60_000 }); // a file in quarantine is not on the stream
  return (
    <Page title="Today" actions={<CopyAsCurl path="/summary" />}>
      {summary.isPending ? (
        <Section>
          <Loading rows={8} />
        </Section>
      ) : !summary.data ? (
        <Section flush>
          <Failure error={summary.error} retry={() => void summary.refetch()} />
        </Section>
      ) : (
        <Content of={summary.data} />
      )}
    </Page>
  );
}

function Content({ of: s }: { of: Summary }) {
  const work = todo(s, dateIn(useZone()));
  return (
    <div className="columns">
      <div>
        {s.pending_offices.map((o) => (
          <Notice
            key={o.office_id}
            tone="warn"
            title={`A change of ${o.name} waits for the operator of this service.`}
            action={<Go to={`/settings/offices/${o.office_id}`}>See the change</Go>}
          >
            <Changer by={o.changed_by} /> changed it on <When value={o.changed_at} full />. Claims
            have the verified values until then.
          </Notice>
        ))}
        <Section title="To do" flush>
          {work.length === 0 ? (
            <Empty title="Nothing needs you now">New work appears here by itself.</Empty>
          ) : (
            <ul className="plain work">
              {work.map((w) => (
                <li key={w.what} className="linked">
                  <Go to={w.to} className="row-link">
                    <span className="work-count numbers">{w.count}</span>
                    <span className="work-what">
                      {w.what}
                      <span className="sub">{w.how}</span>
                    </span>
                  </Go>
                  <Badge tone={w.tone}>{w.urgency}</Badge>
                </li>
              ))}
            </ul>
          )}
        </Section>
        <Outstanding of={s} />
      </div>
      <div>
        <Section title="Money of sent claims">
          <Facts
            items={[
              ["Charged", <Money key="c" value={s.money.charged} />],
              ["Paid by payers", <Money key="p" value={s.money.paid} />],
              ["Patients owe", <Money key="o" value={s.money.patient_responsibility} />],
              ["Outstanding", <Money key="u" value={s.money.outstanding} strong />],
            ]}
          />
        </Section>
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

type Work = { count: string; what: string; how: string; to: string; urgency: string; tone: Tone };

/** todo lists the work, the most urgent first, each with the list that shows it. */
function todo(s: Summary, today: string): Work[] {
  const soon = daysAfter(today, 7);
  const due = (from: string, to: string) =>
    s.payer_requests.by_due_date
      .filter((d) => d.due_date >= from && d.due_date < to)
      .reduce((n, d) => n + d.count, 0);
  const of = (state: string) => (s.claims as Record<string, number>)[state] ?? 0;
  const bounded = (b: Schemas["BoundedCount"]) =>
    `${b.count.toLocaleString("en-US")}${b.more ? "+" : ""}`;
  const overdue = due("0000", today);
  const week = due(today, soon);
  const all: (Work & { n: number })[] = [
    {
      n: overdue,
      count: String(overdue),
      what: overdue === 1 ? "payer request is overdue" : "payer requests are overdue",
      how: "Send what the payer asked for.",
      to: "/payer-requests",
      urgency: "Overdue",
      tone: "bad",
    },
    {
      n: of("rejected"),
      count: String(of("rejected")),
      what: of("rejected") === 1 ? "claim was rejected" : "claims were rejected",
      how: "Correct and send again.",
      to: "/claims?state=rejected",
      urgency: "Not at the payer",
      tone: "bad",
    },
    {
      n: of("needs_attention"),
      count: String(of("needs_attention")),
      what: of("needs_attention") === 1 ? "claim has findings" : "claims have findings",
      how: "Correct what stands beside the fields.",
      to: "/claims?state=needs_attention",
      urgency: "Not sent",
      tone: "warn",
    },
    {
      n: s.eras.unfinished_claims.count,
      count: bounded(s.eras.unfinished_claims),
      what: "claims of remittances to match or review",
      how: "Match, apply or ignore each.",
      to: "/remittances?needs_attention=true",
      urgency: "Money waits",
      tone: "warn",
    },
    {
      n: s.quarantine.count,
      count: bounded(s.quarantine),
      what: s.quarantine.count === 1 ? "file is in quarantine" : "files are in quarantine",
      how: "Assign each to an office, or remove it.",
      to: "/remittances/quarantine",
      urgency: "Not applied",
      tone: "warn",
    },
    {
      n: week,
      count: String(week),
      what: week === 1 ? "payer request is due this week" : "payer requests are due this week",
      how: "Answer before the day.",
      to: "/payer-requests",
      urgency: "This week",
      tone: "info",
    },
    {
      n: s.webhook_endpoints.failing,
      count: String(s.webhook_endpoints.failing),
      what: s.webhook_endpoints.failing === 1 ? "webhook endpoint fails" : "webhook endpoints fail",
      how: "Your software does not hear of changes.",
      to: "/developers",
      urgency: "Failing",
      tone: "warn",
    },
    {
      n: of("denied"),
      count: String(of("denied")),
      what: of("denied") === 1 ? "claim was denied" : "claims were denied",
      how: "Appeal, replace, or mark as posted.",
      to: "/claims?state=denied",
      urgency: "Denied",
      tone: "warn",
    },
    {
      n: of("validated"),
      count: String(of("validated")),
      what: of("validated") === 1 ? "claim is ready to send" : "claims are ready to send",
      how: "Send each to its payer.",
      to: "/claims?state=validated",
      urgency: "Ready",
      tone: "info",
    },
    {
      n: s.eras.not_posted.count,
      count: bounded(s.eras.not_posted),
      what:
        s.eras.not_posted.count === 1 ? "remittance is not posted" : "remittances are not posted",
      how: "Post when every claim is finished.",
      to: "/remittances",
      urgency: "To post",
      tone: "info",
    },
    {
      n: of("paid"),
      count: String(of("paid")),
      what: of("paid") === 1 ? "paid claim is not posted" : "paid claims are not posted",
      how: "Post the payment in your books, then mark it.",
      to: "/claims?state=paid",
      urgency: "To post",
      tone: "info",
    },
    {
      n: of("draft"),
      count: String(of("draft")),
      what: of("draft") === 1 ? "draft" : "drafts",
      how: "Continue or leave.",
      to: "/claims?state=draft",
      urgency: "Draft",
      tone: "plain",
    },
  ];
  return all.filter((w) => w.n > 0);
}

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
          const q = new URLSearchParams();
          if (a.sent_from) q.set("sent_from", a.sent_from);
          if (a.sent_to) q.set("sent_to", a.sent_to);
          return (
            <li key={label}>
              <div className="spread">
                <Go to={`/claims?${q.toString()}`}>{label}</Go>
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
  const line = (values: number[]) =>
    values
      .map(
        (v, i) =>
          `${i === 0 ? "M" : "L"}${((i * 300) / (values.length - 1)).toFixed(1)} ${(72 - (68 * v) / most).toFixed(1)}`,
      )
      .join("");
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
