// One appeal: its letter, which prints alone, what is enclosed, and what became of it.
import { useParams } from "@tanstack/react-router";
import { Printer } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { FormEnd, Modal, useLeaving } from "../../ui/dialog";
import { AreaField, Check, DateField, FaultsOf, SelectField, TextField } from "../../ui/form";
import { Day, dateIn, day, Money, None, name, useToday, useZone, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Facts, Notice, Page, Section, Waiting } from "../../ui/page";
import { count } from "../../ui/plural";
import { State } from "../../ui/state";
import { Traces } from "../../ui/traces";
import { type Appeal, decidedAs, levels, standing, until, ways } from "./words";
import "./appeals.css";

type Claim = Schemas["Claim"];

export function AppealDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const appeal = api.useQuery("get", "/appeals/{id}", { params: { path: { id } } });
  const claim = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: appeal.data?.claim_id ?? "" } } },
    { enabled: !!appeal.data },
  );
  if (!appeal.data) return <Waiting title="Appeal" rows={8} of={appeal} />;
  if (!claim.data) return <Waiting title="Appeal" rows={8} of={claim} />;
  return <Shown key={appeal.data.id} appeal={appeal.data} claim={claim.data} />;
}

function Shown({ appeal: a, claim: c }: { appeal: Appeal; claim: Claim }) {
  const may = useMay();
  return (
    <Page
      title={`Appeal for ${name(c.patient_name)}`}
      above={<Go to={`/claims/${c.id}`}>Claim</Go>}
      about={
        <span className="row no-print">
          <State value={a.state} tone={a.state === "sent" ? "info" : undefined} />
          <span>
            {levels[a.level]} to {c.payer.name}
          </span>
          {c.open && (
            <strong>
              <Money value={c.open} /> open
            </strong>
          )}
        </span>
      }
      actions={
        <>
          <Button icon={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
            Print the letter
          </Button>
          {may.write && a.state !== "decided" && <Decide appeal={a} />}
          {may.write && a.state === "draft" && <Send appeal={a} />}
        </>
      }
      curl={`/appeals/${a.id}`}
    >
      <div className="no-print">
        <Notice tone={toneOf(a)} title={standing(a)}>
          {a.state === "draft" && a.deadline.source === "proposed" && (
            <>No limit of this payer is recorded. Ask the payer, then enter the day below.</>
          )}
        </Notice>
      </div>
      <div className="columns">
        <div>
          {a.state === "draft" && may.write ? (
            <Draft appeal={a} claim={c} />
          ) : (
            <Section title="Letter">
              <p className="appeal-letter">{a.letter}</p>
            </Section>
          )}
        </div>
        <div className="no-print">
          <Section title="Appeal">
            <Facts
              items={[
                ["Send by", until(a.deadline)],
                ["Sent", a.sent ? <Day key="s" value={a.sent.on} /> : <None key="s" />],
                ["Reference", a.sent?.reference ?? <None key="r" />],
                ["Decided", a.decided ? <Day key="d" value={a.decided.on} /> : <None key="d" />],
                ["Enclosed", count(a.documents.length, "document")],
                ["Made", <When key="m" value={a.created_at} full />],
              ]}
            />
            {a.state !== "draft" && <p className="words">{a.reason}</p>}
            <p className="small">
              <Copy value={a.id} label="Copy the ID" />
            </p>
          </Section>
          {a.sent && (
            <Section title="Paid after it was sent">
              {a.payments.length === 0 ? (
                <p className="muted">Nothing yet.</p>
              ) : (
                <ul className="plain stack-s">
                  {a.payments.map((p) => (
                    <li key={p.era_id + p.paid} className="spread">
                      <Go to={`/remittances/${p.era_id}`}>
                        Remittance of <Day value={p.on} />
                      </Go>
                      <Money value={p.paid} />
                    </li>
                  ))}
                </ul>
              )}
            </Section>
          )}
          <Traces key={a.id} id={a.claim_id} />
        </div>
      </div>
    </Page>
  );
}

function toneOf(a: Appeal): "good" | "warn" | "info" {
  if (a.decided) return a.decided.outcome === "overturned" ? "good" : "info";
  return a.state === "draft" ? "warn" : "info";
}

/** Draft is the form of an appeal that is not sent. On paper, there is the letter alone. */
function Draft({ appeal: a, claim: c }: { appeal: Appeal; claim: Claim }) {
  const was = {
    level: a.level,
    reason: a.reason,
    letter: a.letter,
    documents: a.documents,
    on: a.deadline.on ?? "",
  };
  const [form, setForm] = useState(was);
  const [kept, keep] = useState(was);
  const changed = JSON.stringify(form) !== JSON.stringify(kept);
  const leaving = useLeaving(() => changed, "the letter");
  const change = (to: Partial<typeof form>) => setForm((f) => ({ ...f, ...to }));
  const save = useSend(
    (api, key) =>
      api.PATCH("/appeals/{id}", {
        params: { path: { id: a.id }, header: key },
        body: {
          level: form.level,
          reason: form.reason,
          letter: form.letter,
          documents: form.documents,
          ...(form.on !== "" && form.on !== kept.on && { deadline_on: form.on }),
        },
      }),
    {
      says: "The appeal is saved.",
      refused: (e) => e.error === "INVALID_REQUEST",
      done: () => keep(form),
    },
  );
  const confirm = useSend(
    (api, key) =>
      api.PATCH("/appeals/{id}", {
        params: { path: { id: a.id }, header: key },
        body: { deadline_on: form.on },
      }),
    { says: "The day is confirmed.", done: () => keep((k) => ({ ...k, on: form.on })) },
  );
  const faults = isAPIError(save.error) ? (save.error.errors ?? []) : [];
  return (
    <FaultsOf list={faults} request={form}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          save.go();
        }}
      >
        <Section
          title="Letter"
          actions={
            <Button look="primary" type="submit" busy={save.isPending} disabled={!changed}>
              Save
            </Button>
          }
        >
          <div className="stack">
            <div className="no-print appeal-fields">
              <SelectField
                label="Level"
                path="level"
                value={form.level}
                onChange={(v) => change({ level: v as Appeal["level"] })}
                options={Object.entries(levels)}
              />
              <DateField
                label="Send by"
                path="deadline_on"
                value={form.on}
                onChange={(on) => change({ on })}
              />
              {a.deadline.source === "proposed" && form.on !== "" && (
                <Button busy={confirm.isPending} onClick={() => confirm.go()}>
                  Confirm the day
                </Button>
              )}
            </div>
            <div className="no-print">
              <AreaField
                label="Why the payer should pay"
                path="reason"
                hint="For your records. The letter below was written with these words; change it there, too."
                maxLength={4000}
                required
                value={form.reason}
                onChange={(reason) => change({ reason })}
              />
            </div>
            <div className="no-print">
              <AreaField
                label="Letter"
                path="letter"
                rows={24}
                maxLength={20000}
                required
                value={form.letter}
                onChange={(letter) => change({ letter })}
              />
            </div>
            <p className="appeal-letter only-print">{form.letter}</p>
            <Documents
              claim={c}
              chosen={form.documents}
              choose={(documents) => change({ documents })}
            />
          </div>
        </Section>
      </form>
      {leaving.dialog}
    </FaultsOf>
  );
}

/** Documents are the attachments of the claim that go with the letter. */
function Documents({
  claim: c,
  chosen,
  choose,
}: {
  claim: Claim;
  chosen: string[];
  choose: (ids: string[]) => void;
}) {
  const zone = useZone();
  const attached = c.attachments.filter((a) => a.documents.length > 0);
  if (attached.length === 0)
    return (
      <p className="muted no-print">
        The claim has no images to enclose.{" "}
        <Go to="/attachments/new" search={{ claim_id: c.id }}>
          Add images
        </Go>
      </p>
    );
  return (
    <fieldset className="no-print appeal-documents">
      <legend>Enclosed</legend>
      {attached.map((a) => {
        const made = day(dateIn(zone, new Date(a.created_at)));
        return (
          <Check
            key={a.id}
            label={`${count(a.documents.length, "image")} of the attachment made on ${made}`}
            checked={chosen.includes(a.id)}
            onChange={(on) => choose(on ? [...chosen, a.id] : chosen.filter((id) => id !== a.id))}
          />
        );
      })}
    </fieldset>
  );
}

/** Send records that the letter was sent. */
function Send({ appeal: a }: { appeal: Appeal }) {
  const today = useToday();
  const [open, setOpen] = useState(false);
  const [on, setOn] = useState(today);
  const [by, setBy] = useState<Schemas["AppealWay"]>("mail");
  const [reference, setReference] = useState("");
  const send = useSend(
    (api, key) =>
      api.POST("/appeals/{id}/sent", {
        params: { path: { id: a.id }, header: key },
        body: { on, by, ...(reference && { reference }) },
      }),
    {
      says: "The appeal is sent. Its decision is due in 60 days.",
      refused: (e) => e.error === "INVALID_REQUEST",
      done: () => setOpen(false),
    },
  );
  const faults = isAPIError(send.error) ? (send.error.errors ?? []) : [];
  return (
    <>
      <Button data-act="recordAppealSent" look="primary" onClick={() => setOpen(true)}>
        Record as sent
      </Button>
      <Modal title="How was the appeal sent?" open={open} onOpenChange={setOpen}>
        <FaultsOf list={faults} request={{ on, by, reference }}>
          <form
            className="stack"
            onSubmit={(e) => {
              e.preventDefault();
              send.go();
            }}
          >
            <DateField label="Sent on" path="on" required value={on} onChange={setOn} />
            <SelectField
              label="Sent by"
              path="by"
              value={by}
              onChange={(v) => setBy(v as Schemas["AppealWay"])}
              options={Object.entries(ways)}
            />
            <TextField
              label="Reference"
              path="reference"
              optional
              maxLength={100}
              hint="Such as the number of the registered letter."
              value={reference}
              onChange={setReference}
            />
            <p className="muted">The letter cannot be changed afterwards.</p>
            <FormEnd busy={send.isPending}>Record</FormEnd>
          </form>
        </FaultsOf>
      </Modal>
    </>
  );
}

/** Decide records what the payer decided. A draft can be withdrawn. */
function Decide({ appeal: a }: { appeal: Appeal }) {
  const today = useToday();
  const draft = a.state === "draft";
  const [open, setOpen] = useState(false);
  const [on, setOn] = useState(today);
  const [outcome, setOutcome] = useState<Schemas["AppealOutcome"]>(draft ? "withdrawn" : "upheld");
  const decide = useSend(
    (api, key) =>
      api.POST("/appeals/{id}/decided", {
        params: { path: { id: a.id }, header: key },
        body: { on, outcome: draft ? "withdrawn" : outcome },
      }),
    {
      says: "The outcome is recorded.",
      refused: (e) => e.error === "INVALID_REQUEST",
      done: () => setOpen(false),
    },
  );
  const faults = isAPIError(decide.error) ? (decide.error.errors ?? []) : [];
  return (
    <>
      <Button
        data-act={draft ? undefined : "recordAppealDecided"}
        look={draft ? "plain" : "primary"}
        onClick={() => setOpen(true)}
      >
        {draft ? "Withdraw" : "Record the decision"}
      </Button>
      <Modal
        title={draft ? "Withdraw the appeal?" : "What did the payer decide?"}
        open={open}
        onOpenChange={setOpen}
      >
        <FaultsOf list={faults} request={{ on, outcome }}>
          <form
            className="stack"
            onSubmit={(e) => {
              e.preventDefault();
              decide.go();
            }}
          >
            {draft ? (
              <p>The letter stays with the claim. You can make another appeal later.</p>
            ) : (
              <>
                <SelectField
                  label="Outcome"
                  path="outcome"
                  value={outcome}
                  onChange={(v) => setOutcome(v as Schemas["AppealOutcome"])}
                  options={Object.entries(decidedAs)}
                />
                <DateField label="Decided on" path="on" required value={on} onChange={setOn} />
                <p className="muted">Money comes with a remittance: record nothing else here.</p>
              </>
            )}
            <FormEnd busy={decide.isPending} danger={draft}>
              {draft ? "Withdraw" : "Record"}
            </FormEnd>
          </form>
        </FaultsOf>
      </Modal>
    </>
  );
}
