// One remittance: what the payer paid, whether it adds up, and what became of
// each of its claims. When all of them are finished, a person posts it.
import { useParams } from "@tanstack/react-router";
import { ChevronDown, Printer } from "lucide-react";
import { Fragment, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button, ButtonLink } from "../../ui/button";
import { useCopyAsCurl } from "../../ui/copy";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { cents, Day, day, dollars, Money, None, name, printable, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { More } from "../../ui/menu";
import { Notes } from "../../ui/notes";
import { Facts, Notice, Page, Section, Waiting } from "../../ui/page";
import { count, plural } from "../../ui/plural";
import { Table } from "../../ui/table";
import { useToast } from "../../ui/toast";
import { Traces } from "../../ui/traces";
import { levelName } from "../settings/levels";
import { TasksOf, useTasksOf } from "../today/about";
import { Claims, useClaims } from "./claims";
import { Difference, Siblings, stands } from "./correction";
import { RawFile } from "./file";
import { Sheet } from "./sheet";
import {
  finished,
  methodLabel,
  money,
  opposite,
  Progress,
  reconciling,
  Standing,
  underway,
  unfinished,
} from "./standing";
import "./remittances.css";

type ERA = Schemas["ERA"];

export function RemittanceDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api, mode } = useClient();
  const era = api.useQuery("get", "/eras/{id}", { params: { path: { id } } });
  const claims = useClaims(id, era.data !== undefined);
  const tasks = useTasksOf(id);
  if (!era.data || tasks.isPending)
    return <Waiting title="Remittance" rows={10} of={era.data ? tasks : era} />;
  const e = era.data;
  return (
    <Page
      title={printable(e.payer?.name ?? e.payer_name)}
      above={<Back to="/remittances">Remittances</Back>}
      about={
        <>
          <Standing era={e} />
          <span className="wrap-anywhere">
            {methodLabel(e.payment.method)} {printable(e.payment.trace_number)}
          </span>
          <Day value={e.payment.date} />
          <strong>
            <Money value={e.payment.total} />
          </strong>
        </>
      }
      actions={<Actions era={e} />}
      printed={
        <p>
          {mode === "test" && <strong>Test mode: no real payment. </strong>}
          {[
            printable(e.payer?.name ?? e.payer_name),
            `${methodLabel(e.payment.method)} ${printable(e.payment.trace_number)}`,
            e.payment.date && day(e.payment.date),
            dollars(e.payment.total),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      }
    >
      <div className="no-print not-on-paper">
        <TasksOf tasks={tasks} />
        <Siblings era={e} />
        {stands(e) && <Next era={e} />}
        <Posted era={e} />
        <Difference era={e} />
        <Section title="Payment">
          <Payment era={e} />
          <p>
            {e.bank.summary}
            {e.bank.deposits.map((d) => (
              <Fragment key={d.deposit_id}>
                {" "}
                <Go to={`/deposits/${d.deposit_id}`}>
                  Deposit of <Day value={d.date} />
                </Go>
              </Fragment>
            ))}
          </p>
          <FindDeposit era={e} />
          <Balance era={e} />
        </Section>
        <Claims era={e} of={claims} />
        <Notes of="/eras/{id}/notes" id={e.id} />
        <Traces key={e.id} id={e.id} />
      </div>
      <Sheet era={e} claims={claims.data?.pages.flatMap((p) => p.data) ?? []} />
    </Page>
  );
}

/** FindDeposit leads to the deposits that no remittance explains, while the money of this one did not arrive. */
function FindDeposit({ era: e }: { era: ERA }) {
  if (!stands(e) || (e.bank.status !== "awaited" && e.bank.status !== "partly")) return null;
  return (
    <div className="row no-print">
      <ButtonLink data-act="matchDeposit" to="/deposits">
        Find the deposit
      </ButtonLink>
      <span className="muted">
        Open the deposit that pays it and match them there. If there is none, ask the payer to trace
        the payment.
      </span>
    </div>
  );
}

/** Next says what a person does next. */
function Next({ era: e }: { era: ERA }) {
  const open = unfinished(e);
  if (e.state === "posted")
    return (
      <Notice
        tone="good"
        title={
          <>
            Posted <When value={e.posted_at} full />
            {e.posted_by_rule && ` by the automation (${levelName(e.posted_by_rule)})`}
          </>
        }
      >
        {reconciling(e)}
        {open > 0 && (
          <>
            {count(open, "claim is", "claims are")} not finished. You can still match, apply or
            ignore {plural(open, "it", "them")}.
          </>
        )}
      </Notice>
    );
  if (open > 0)
    return (
      <Notice tone="warn" title={count(open, "claim needs a decision", "claims need a decision")}>
        Apply, match or ignore {plural(open, "it", "each of them")}. Then post the remittance.
      </Notice>
    );
  if (underway(e) > 0)
    return (
      <Notice tone="info" title={`Molar is applying ${count(underway(e), "claim")}`}>
        This page shows them when they are done.
      </Notice>
    );
  if (!e.balanced && e.acknowledged) {
    return (
      <Notice tone="info" title="Every claim is finished, and the difference is acknowledged">
        Enter the payment in the practice&apos;s books. Then post the remittance here.
      </Notice>
    );
  }
  if (!e.balanced)
    return (
      <Notice tone="warn" title="Every claim is finished, but the amounts do not add up">
        Ask the payer about the difference before you post the remittance.
      </Notice>
    );
  return (
    <Notice tone="good" title="Every claim is finished, and all amounts add up">
      Enter the payment in the practice&apos;s books. Then post the remittance here.
    </Notice>
  );
}

/** Posted names the claims that the posting did not reconcile, and why. */
function Posted({ era: e }: { era: ERA }) {
  if (e.state !== "posted" || e.left_out.length === 0) return null;
  const patient = (id: string) => {
    const c = e.claims.data.find((c) => c.claim_id === id);
    return (c && printable(name(c.patient_name))) || "Open the claim";
  };
  return (
    <Section title="Not reconciled" flush>
      <Table
        caption="Claims that were left out when the remittance was posted"
        rows={e.left_out}
        id={(l) => l.claim_id}
        columns={[
          {
            head: "Claim",
            cell: (l) => <Go to={`/claims/${l.claim_id}`}>{patient(l.claim_id)}</Go>,
          },
          { head: "What is left to do", cell: (l) => l.message },
        ]}
      />
      {e.left_out_count > e.left_out.length && (
        <p className="muted">
          These are the first {e.left_out.length} of {e.left_out_count.toLocaleString("en-US")}.
          Today lists what needs a person.
        </p>
      )}
    </Section>
  );
}

/** adds says whether the claims or the lines of a remittance add up. */
function adds(what: string, l: ERA["balance"]["claims"]): string {
  if (l.checked === 0) return "";
  if (l.failed === 0)
    return plural(l.checked, `The ${what} adds up.`, `All ${count(l.checked, what)} add up.`);
  const do_not = plural(l.failed, "does not", "do not");
  const of = `${count(l.failed, what)} of ${l.checked.toLocaleString("en-US")}`;
  return `${of} ${do_not} add up, by ${dollars(l.off)} in total.`;
}

/** Balance shows how the claims make up the payment, and what does not add up. */
function Balance({ era: e }: { era: ERA }) {
  const { payment, claims, lines, findings } = e.balance;
  const stated = findings.find((f) => f.level === "payment" && f.expected !== null);
  const due = stated?.expected ?? (payment.balanced ? e.payment.total : null);
  const paid =
    due === null || e.parts.length > 0
      ? null
      : money(cents(due) + cents(e.payment.provider_adjustments_total));
  const off = stated?.off ?? payment.off;
  return (
    <>
      <dl className="equation">
        <div>
          <dt>Claims paid</dt>
          <dd>
            <Money value={paid} />
          </dd>
        </div>
        <div>
          <dt>
            <span className="only-read">plus </span>Provider adjustments
          </dt>
          <dd>
            <Signed value={opposite(e.payment.provider_adjustments_total)} />
          </dd>
        </div>
        <div>
          <dt>Payment</dt>
          <dd>
            <Money value={e.payment.total} strong />
          </dd>
        </div>
        <div className={payment.balanced ? undefined : "off"}>
          <dt>Difference</dt>
          <dd>
            <Money value={off} strong={!payment.balanced} />
          </dd>
        </div>
      </dl>
      <p className={claims.failed + lines.failed > 0 ? "off" : "muted"}>
        {[adds("claim", claims), adds("line", lines)].filter(Boolean).join(" ")}
      </p>
      {findings
        .filter((f) => f.level === "payment")
        .map((f) => (
          <p key={f.explanation} className="off wrap-anywhere">
            {printable(f.explanation)}
          </p>
        ))}
      {!payment.balanced && <Acknowledged era={e} />}
      {e.warnings.map((w) => (
        <Notice key={w.code} tone="warn">
          {printable(w.message)}
        </Notice>
      ))}
      {e.provider_adjustments.length > 0 && (
        <div className="inset">
          <Table
            caption="Provider adjustments"
            rows={e.provider_adjustments.map((a, i) => ({ a, i }))}
            id={(r) => String(r.i)}
            columns={[
              {
                head: "Provider adjustment",
                cell: ({ a }) => (
                  <>
                    <span className="strong">{printable(a.label)}</span>{" "}
                    <code className="muted">{printable(a.reason)}</code>
                  </>
                ),
              },
              {
                head: "Reference",
                cell: ({ a }) =>
                  a.reference ? (
                    <span className="wrap-anywhere">{printable(a.reference)}</span>
                  ) : (
                    <None />
                  ),
              },
              {
                head: "Claim",
                cell: ({ a }) =>
                  a.claim_id ? <Go to={`/claims/${a.claim_id}`}>Open the claim</Go> : <None />,
              },
              {
                head: "Effect on the payment",
                right: true,
                cell: ({ a }) => <Signed value={opposite(a.amount)} />,
              },
            ]}
          />
        </div>
      )}
      {e.forwarded_balance && <Forwarded balance={e.forwarded_balance} />}
    </>
  );
}

/** Forwarded says what the payer carries from one payment to the next. */
function Forwarded({
  balance: { balance, entries },
}: {
  balance: NonNullable<ERA["forwarded_balance"]>;
}) {
  const owed = cents(balance);
  return (
    <details>
      <summary>
        {owed > 0 && `The payer will take ${dollars(balance)} from later payments`}
        {owed < 0 && `The payer owes ${dollars(opposite(balance))} from earlier payments`}
        {owed === 0 && "No balance is carried to later payments"}
      </summary>
      <Table
        caption="Balances carried over by this payer"
        rows={entries.map((b, i) => ({ b, i }))}
        id={(r) => String(r.i)}
        columns={[
          {
            head: "Payment",
            cell: ({ b }) => (
              <Go to={`/remittances/${b.era_id}`}>{printable(b.trace_number || b.era_id)}</Go>
            ),
          },
          {
            head: "Effect on the payment",
            right: true,
            cell: ({ b }) => <Signed value={opposite(b.amount)} />,
          },
          { head: "Left to take", right: true, cell: ({ b }) => <Money value={b.balance} /> },
        ]}
      />
    </details>
  );
}

/** Acknowledged says who knows that the payment does not add up, or asks for it. */
function Acknowledged({ era: e }: { era: ERA }) {
  const may = useMay();
  const send = useSend(
    (api, key, note: string) =>
      api.POST("/eras/{id}/acknowledge", {
        params: { path: { id: e.id }, header: key },
        body: { note },
      }),
    { says: "The difference is acknowledged." },
  );
  if (e.acknowledged) {
    return (
      <p className="wrap-anywhere">
        Acknowledged <When value={e.acknowledged.at} />: {printable(e.acknowledged.note ?? "")}
      </p>
    );
  }
  if (!may.write || !stands(e)) return null;
  return (
    <div className="row no-print">
      <Confirm
        title="Acknowledge the difference?"
        action="Acknowledge"
        note="Why it is right, or what the payer said"
        noteRequired
        onConfirm={(note) => send.go(note)}
        trigger={(open) => (
          <Button data-act="acknowledgeERA" busy={send.isPending} onClick={open}>
            Acknowledge the difference
          </Button>
        )}
      >
        <p>
          The remittance then no longer needs attention. It still shows that its amounts do not add
          up.
        </p>
      </Confirm>
    </div>
  );
}

/** Signed shows an amount with its sign, as a part of a sum. */
function Signed({ value }: { value: string }) {
  return (
    <span className="numbers nowrap">
      {cents(value) > 0 && "+"}
      {dollars(value)}
    </span>
  );
}

const numberLabels: Record<string, string> = { CHK: "Check number", ACH: "EFT trace number" };

function Payment({ era: e }: { era: ERA }) {
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const office = offices.data?.data.find((o) => o.id === e.office_id)?.name;
  return (
    <Facts
      items={[
        [
          numberLabels[e.payment.method] ?? "Trace number",
          <span key="t" className="numbers">
            {printable(e.payment.trace_number)}
          </span>,
        ],
        ...(e.payer && e.payer.name.toLowerCase() !== e.payer_name.toLowerCase()
          ? [["Payer in the file", printable(e.payer_name)] as [string, string]]
          : []),
        ["Paid to", e.office_id ? (office ?? "…") : "No single office matches"],
        ["Received", <When key="r" value={e.received_at} full />],
        ["Progress", <Progress key="p" era={e} />],
      ]}
    />
  );
}

/** Actions has posting as its primary button once every claim is finished. */
function Actions({ era: e }: { era: ERA }) {
  const copy = useCopyAsCurl();
  const may = useMay();
  const toast = useToast();
  const [file, setFile] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const [unposting, setUnposting] = useState(false);
  const params = (header: { "Idempotency-Key": string }) => ({ path: { id: e.id }, header });
  const post = useSend(
    (api, key, accept: boolean) =>
      api.POST("/eras/{id}/post", {
        params: params(key),
        body: accept ? { accept_unfinished: true, reconcile: true } : { reconcile: true },
      }),
    {
      says: (posted: ERA) => `The remittance is posted. ${reconciling(posted)}`.trim(),
      done: () => setWhy(null),
      refused: (r) => {
        if (r.error === "CONFLICT") setWhy(r.message);
        return r.error === "CONFLICT";
      },
    },
  );
  const unpost = useSend(
    (api, key) => api.POST("/eras/{id}/unpost", { params: params(key), body: {} }),
    { says: "The remittance is unposted." },
  );
  const ready = finished(e) === e.counts.claims;
  return (
    <>
      {may.write && stands(e) && e.state !== "posted" && (
        <Button
          data-act="postERA"
          look={ready ? "primary" : "plain"}
          busy={post.isPending}
          onClick={() => post.go(false)}
        >
          Post
        </Button>
      )}
      <Button icon={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
        Print
      </Button>
      <More
        label="More actions"
        items={[
          { label: "Show the 835 file", onSelect: () => setFile(true) },
          {
            label: "Copy the ID",
            onSelect: () => {
              void navigator.clipboard.writeText(e.id).then(() => toast.good("Copied the ID"));
            },
          },
          { label: "Copy as curl", onSelect: () => copy(`/eras/${e.id}`) },
          ...(may.write && e.state === "posted"
            ? [{ label: "Unpost", onSelect: () => setUnposting(true), danger: true }]
            : []),
        ]}
      >
        More
        <ChevronDown size={16} aria-hidden />
      </More>
      <RawFile id={e.id} open={file} onOpenChange={setFile} />
      <Modal
        title="Post it with unfinished claims?"
        open={why !== null}
        onOpenChange={(o) => {
          if (!o) setWhy(null);
        }}
      >
        <div className="stack">
          <p>{why}</p>
          <p className="muted">
            You can post the remittance now, and match, apply or ignore the rest later.
          </p>
          <div className="dialog-actions">
            <Button onClick={() => setWhy(null)}>Finish the claims first</Button>
            <Button look="primary" busy={post.isPending} onClick={() => post.go(true)}>
              Post anyway
            </Button>
          </div>
        </div>
      </Modal>
      <Modal title="Unpost the remittance?" open={unposting} onOpenChange={setUnposting}>
        <div className="stack">
          <p>
            The remittance of {dollars(e.payment.total)} is then no longer posted, and you can
            unapply its claims. Correct the practice&apos;s books too. The claims that its posting
            reconciled are reopened, except those that a person changed since.
          </p>
          <div className="dialog-actions">
            <Cancel />
            <Button
              look="danger"
              busy={unpost.isPending}
              onClick={() => {
                unpost.go();
                setUnposting(false);
              }}
            >
              Unpost
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
