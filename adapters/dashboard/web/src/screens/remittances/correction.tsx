// A payment that came in several remittances: its parts, and corrections of it. A
// person compares a correction with what it corrects, and decides which one stands.
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { Day, Money, name, printable, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Notice, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { Table } from "../../ui/table";
import { reasonLabel, statusLabel } from "./codes";

type ERA = Schemas["ERA"];
type Claim = Schemas["ERADifference"]["claims"][number];
type Stated = Schemas["StatedClaim"] | Schemas["StatedLine"];

/** stands reports whether the claims of a remittance count. */
export const stands = (e: Pick<ERA, "state" | "correction">): boolean =>
  !e.correction?.undecided && (e.state === "needs_review" || e.state === "posted");

/** Links names other remittances of the payment. */
function Links({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.map((id, i) => (
        <span key={id}>
          {i > 0 && ", "}
          <Go to={`/remittances/${id}`}>
            {ids.length === 1 ? "Open the other remittance" : `Open remittance ${i + 1}`}
          </Go>
        </span>
      ))}
    </>
  );
}

/** Siblings says what the remittance is to others of its payment, and asks for the decision on a correction. */
export function Siblings({ era: e }: { era: ERA }) {
  return (
    <>
      {e.correction?.undecided && (
        <Notice
          tone="warn"
          title="The payer sent this payment again with other figures"
          action={<Decide era={e} />}
        >
          Compare both. Then replace the other remittance with this one, or keep the other one.
          Until then, the other one applies. <Links ids={e.correction.of} />
        </Notice>
      )}
      {e.state === "discarded" && (
        <Notice
          tone="info"
          title="This correction was discarded"
          action={<Replace era={e} look="plain" />}
        >
          <Links ids={e.correction?.of ?? []} /> <Decided note={e.correction?.decided ?? null} />
        </Notice>
      )}
      {e.replaced_by && (
        <Notice
          tone="info"
          title="Another remittance of the payment replaced this one"
          action={<Replace era={e} look="plain" />}
        >
          <Links ids={[e.replaced_by]} />
        </Notice>
      )}
      {stands(e) && e.correction?.decided && (
        <Notice tone="info" title="This correction is in effect">
          <Links ids={e.correction.of} /> <Decided note={e.correction.decided} />
        </Notice>
      )}
      {e.corrections.length > 0 && (
        <Notice tone="warn" title="The payer has corrected this payment">
          Decide which one applies. <Links ids={e.corrections} />
        </Notice>
      )}
      {e.parts.length > 0 && (
        <Notice
          tone="info"
          title={`The payer split this payment into ${count(e.parts.length + 1, "part")}`}
        >
          The amounts of all parts together make up the payment. <Links ids={e.parts} />
        </Notice>
      )}
    </>
  );
}

/** Decided says when a person decided, and why. */
function Decided({ note }: { note: Schemas["ERANote"] | null }) {
  if (!note) return null;
  return (
    <span className="muted wrap-anywhere">
      {note.by ? "Decided" : "Molar decided, because nothing of the other one was applied,"}{" "}
      <When value={note.at} />
      {note.note && `: ${printable(note.note)}`}
    </span>
  );
}

/** Decide has both answers to a correction. */
function Decide({ era: e }: { era: ERA }) {
  const may = useMay();
  const keep = useSend(
    (api, key, note: string) =>
      api.POST("/eras/{id}/keep", {
        params: { path: { id: e.id }, header: key },
        body: { note: note || null },
      }),
    { says: "The correction is discarded." },
  );
  if (!may.write) return null;
  return (
    <>
      <Replace era={e} look="primary" />
      <Confirm
        title="Keep the other remittance?"
        action="Keep it"
        note="Note"
        onConfirm={(note) => keep.go(note)}
        trigger={(open) => (
          <Button busy={keep.isPending} onClick={open}>
            Keep the other one
          </Button>
        )}
      >
        <p>This correction is discarded and stays in the list. No claim changes.</p>
      </Confirm>
    </>
  );
}

/** Replace lets the remittance stand in the place of the other one. */
function Replace({ era: e, look }: { era: ERA; look: "primary" | "plain" }) {
  const may = useMay();
  const replace = useSend(
    (api, key, note: string) =>
      api.POST("/eras/{id}/replace", {
        params: { path: { id: e.id }, header: key },
        body: { note: note || null },
      }),
    { says: "The other remittance is replaced." },
  );
  if (!may.write) return null;
  return (
    <Confirm
      title="Replace the other remittance?"
      action="Replace"
      danger
      note="Note for the history of the changed claims"
      onConfirm={(note) => replace.go(note)}
      trigger={(open) => (
        <Button data-act="replaceERA" look={look} busy={replace.isPending} onClick={open}>
          Replace the other one
        </Button>
      )}
    >
      <p>
        Molar unapplies the other remittance and applies this one. Claims that are the same in both
        do not change.
      </p>
    </Confirm>
  );
}

/** Difference shows what a correction changes, by claim and line. */
export function Difference({ era: e }: { era: ERA }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const d = e.difference;
  if (!d) return null;
  const toggle = (i: number) =>
    setOpen((was) => {
      const now = new Set(was);
      if (!now.delete(i)) now.add(i);
      return now;
    });
  const all = d.changed + d.added + d.removed;
  const words = [
    d.changed > 0 && `${count(d.changed, "claim")} changed`,
    d.added > 0 && `${count(d.added, "claim")} added`,
    d.removed > 0 && `${count(d.removed, "claim")} removed`,
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <Section title="What the correction changes" flush>
      <p className="difference-head">
        {words || "No claim differs"}. The payment was <Money value={d.was.total} strong />, and is{" "}
        <Money value={e.payment.total} strong />.
        {all > d.claims.length && ` The first ${d.claims.length} claims are shown.`}
      </p>
      {d.claims.length > 0 && (
        <Table
          caption="What the correction changes, by claim"
          rows={d.claims.map((c, i) => ({ c, i }))}
          id={(r) => String(r.i)}
          fold={{ open: (r) => open.has(r.i), toggle: (r) => toggle(r.i) }}
          columns={[
            {
              head: "Patient",
              cell: ({ c }) => (
                <>
                  {printable(name(c.patient_name))}
                  <span className="sub numbers">{printable(c.patient_control_number)}</span>
                </>
              ),
            },
            { head: "Change", cell: ({ c }) => <Change claim={c} /> },
            {
              head: "Charge",
              right: true,
              cell: ({ c }) => <Both was={c.was?.charge} is={c.is?.charge} />,
            },
            {
              head: "Patient owes",
              right: true,
              cell: ({ c }) => (
                <Both was={c.was?.patient_responsibility} is={c.is?.patient_responsibility} />
              ),
            },
            {
              head: "Paid",
              right: true,
              cell: ({ c }) => <Both was={c.was?.paid} is={c.is?.paid} />,
            },
          ]}
          open={(r) => open.has(r.i) && <Lines claim={r.c} />}
        />
      )}
    </Section>
  );
}

/** Change says in a word how a claim differs. */
function Change({ claim: c }: { claim: Claim }) {
  if (!c.was) return <>Added</>;
  if (!c.is) return <>Removed</>;
  if (c.was.status_code === c.is.status_code) return <>Changed</>;
  return (
    <>
      {statusLabel(c.is.status_code)}
      <span className="sub">was {statusLabel(c.was.status_code)}</span>
    </>
  );
}

/** Both shows an amount as it is, and as it was when that differs. */
function Both({ was, is }: { was: string | null | undefined; is: string | null | undefined }) {
  return (
    <div>
      <Money value={is ?? null} strong={was !== is} />
      {was !== is && (
        <span className="sub">
          was <Money value={was ?? null} />
        </span>
      )}
    </div>
  );
}

/** Lines shows the lines of a claim that differ, with their adjustments. */
function Lines({ claim: c }: { claim: Claim }) {
  const rows = [
    ...(adjustments(c.was) !== adjustments(c.is)
      ? [{ what: "The whole claim", day: null, was: c.was, is: c.is }]
      : []),
    ...c.lines.map((l) => ({ what: l.procedure_code, day: l.service_date, was: l.was, is: l.is })),
  ];
  if (rows.length === 0) return <p className="muted">The lines are the same.</p>;
  return (
    <div className="inset">
      <Table
        caption={`Lines of ${printable(name(c.patient_name))} that differ`}
        rows={rows.map((r, i) => ({ ...r, i }))}
        id={(r) => String(r.i)}
        columns={[
          { head: "Procedure", cell: (r) => <span className="strong">{printable(r.what)}</span> },
          { head: "Service", cell: (r) => <Day value={r.day} /> },
          {
            head: "Adjustments",
            cell: (r) => (
              <div>
                <span className="wrap-anywhere">{adjustments(r.is)}</span>
                {adjustments(r.was) !== adjustments(r.is) && (
                  <span className="sub wrap-anywhere">was {adjustments(r.was)}</span>
                )}
              </div>
            ),
          },
          { head: "Paid", right: true, cell: (r) => <Both was={r.was?.paid} is={r.is?.paid} /> },
        ]}
      />
    </div>
  );
}

/** adjustments returns the adjustments in words, with their codes. */
const adjustments = (s: Stated | null): string =>
  s?.adjustments
    .map((a) => `${reasonLabel(a.reason)} ${printable(`${a.group}-${a.reason}`)} ${a.amount}`)
    .join(", ") || "none";
