// One claim: what happens next, what is wrong, its lines with what each payer
// decided, its money, files, attachments and history.
import { useParams } from "@tanstack/react-router";
import { ChevronDown, Pencil } from "lucide-react";
import { useState } from "react";
import { type Schemas, seen, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button, ButtonLink } from "../../ui/button";
import { Copy, useCopyAsCurl } from "../../ui/copy";
import { Confirm } from "../../ui/dialog";
import { cents, Day, Days, day, dollars, Money, name, When, words } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { type MenuItem, More } from "../../ui/menu";
import { Notes } from "../../ui/notes";
import { Odontogram } from "../../ui/odontogram";
import { Facts, Notice, Page, Section, Waiting } from "../../ui/page";
import { count, plural } from "../../ui/plural";
import { State } from "../../ui/state";
import { inOrder } from "../../ui/teeth";
import { Traces } from "../../ui/traces";
import { until } from "../appeals/words";
import { soonest } from "../payer-requests/due";
import { TasksOf, useTasksOf } from "../today/about";
import { firstAct, Reconcile, toReplace } from "./accept";
import { Advice } from "./advice";
import { Appeals, MakeAppeal } from "./appeals";
import { estimated, settled } from "./figures";
import { awaitsEnrollment, nextPayer, payerBefore } from "./form-data";
import { Lines } from "./lines";
import { Simulate } from "./simulate";
import { ClaimStatus } from "./status";
import { following } from "./steps";
import { Submit } from "./submit";
import { Timeline } from "./timeline";
import { endsHere, payerVoids } from "./voids";

export type Claim = Schemas["Claim"];

export function ClaimDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const claim = api.useQuery("get", "/claims/{id}", { params: { path: { id } } });
  const tasks = useTasksOf(id);
  if (!claim.data || tasks.isPending)
    return <Waiting title="Claim" rows={10} of={claim.data ? tasks : claim} />;
  const c = claim.data;
  const patient = c.patient ?? c.subscriber;
  const teeth = inOrder(c.lines.flatMap((l) => l.teeth));
  // What a payer found in a claim stays on it after that payer decided it all the same.
  const findings = c.findings.filter((f) => editable(c) || f.code === "earlier_payer_changed");
  return (
    <Page
      title={name(c.patient_name)}
      above={<Back to="/claims">Claims</Back>}
      about={
        <>
          <State value={c.state} tone={overpaid(c) ? "warn" : undefined} />
          <span>
            {c.kind === "predetermination" ? "Predetermination" : `${words(c.coverage)} claim`} to{" "}
            {c.payer.name}
          </span>
          <Days from={c.service_dates.first} to={c.service_dates.last} />
          <strong>
            <Money value={c.totals.charge} />
          </strong>
        </>
      }
      actions={<Actions claim={c} />}
    >
      <TasksOf tasks={tasks} />
      <Next claim={c} said={tasks.shown.map((t) => t.reason)} />
      {findings.length > 0 && (
        <Section
          title={
            awaitsEnrollment(c)
              ? "What the claim is waiting for"
              : `${count(findings.length, "finding")} to correct`
          }
        >
          <ul className="plain findings">
            {findings.map((f) => (
              <li key={f.code + f.field + f.message}>
                <p className="strong">
                  {placeOf(f.field)}
                  {f.message}
                </p>
                <p className="muted">{f.fix}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Advice claim={c} may={may.write} />
      <div className="columns">
        <div>
          {c.payment && <Payment claim={c} payment={c.payment} />}
          {c.estimate && (
            <Section title="Estimate">
              <Facts
                items={[
                  ...adding(c, estimated(c)),
                  ["Returned", <When key="w" value={c.estimate.returned_at} />],
                ]}
              />
            </Section>
          )}
          {c.state !== "draft" && <ClaimStatus key={c.id} claim={c} />}
          <Appeals claim={c} />
          <Section title="Services" flush>
            <Lines claim={c} />
            {teeth.length > 0 && (
              <div className="claim-chart no-print">
                <Odontogram
                  label="Teeth of the claim"
                  teeth={teeth}
                  surfaces={teeth.length === 1 ? c.lines.flatMap((l) => l.surfaces) : []}
                  missing={c.missing_teeth}
                />
              </div>
            )}
          </Section>
          <Section
            title="Attachments"
            flush
            actions={
              may.write &&
              c.state !== "voided" && (
                <ButtonLink to="/attachments/new" search={{ claim_id: c.id }}>
                  Add images
                </ButtonLink>
              )
            }
          >
            {c.attachments.length === 0 ? (
              <p className="muted card-note">No images or narrative are attached.</p>
            ) : (
              <ul className="plain rows">
                {c.attachments.map((a) => (
                  <li key={a.id} className="spread">
                    <Go to={`/attachments/${a.id}`}>{count(a.documents.length, "document")}</Go>
                    <span className="row">
                      <State value={a.state} />
                      {a.attachment_number && (
                        <span className="muted">Number {a.attachment_number}</span>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Section>
        </div>
        <div>
          <Section title="Patient">
            <Facts
              items={[
                ["Name", name(c.patient_name)],
                ["Born", <Day key="b" value={patient?.date_of_birth} />],
                ...(c.patient
                  ? ([
                      ["Subscriber", name(c.subscriber)],
                      [
                        "Relationship",
                        c.patient.relationship ? words(c.patient.relationship) : null,
                      ],
                    ] as [string, React.ReactNode][])
                  : []),
                ["Member ID", c.subscriber?.member_id],
                ["Group", c.subscriber?.group_number ?? c.subscriber?.group_name],
              ]}
            />
            {c.patient_id && (
              <Go to="/claims" search={{ patient_id: c.patient_id }}>
                All claims of this patient
              </Go>
            )}
          </Section>
          <Section title="Claim">
            <Facts
              items={[
                ["Control number", c.patient_control_number],
                ["Payer's number", c.payer_claim_number],
                ["Office", c.office.name],
                ["Provider", c.rendering_provider ? name(c.rendering_provider) : null],
                ["Sent", <When key="s" value={c.sent_at} full />],
                ...deadlines(c),
                ["File", c.batch_id ? <File key="f" id={c.batch_id} /> : null],
              ]}
            />
            <Related claim={c} />
            {c.estimate_id && (
              <p>
                <Go to={`/estimates/${c.estimate_id}`}>What the patient was told</Go>
              </p>
            )}
            {c.note && (
              <p className="wrap-anywhere">
                Note: <bdi>{c.note}</bdi>
              </p>
            )}
            <p className="small">
              <Copy value={c.id} label="Copy the ID" />
            </p>
          </Section>
          <Notes of="/claims/{id}/notes" id={c.id} />
          <Section title="History">
            <Timeline claim={c} />
          </Section>
          <Traces key={c.id} id={c.id} />
        </div>
      </div>
    </Page>
  );
}

/** deadlines says until when the payer accepts what is still to come: the claim, or an appeal of its decision. */
function deadlines({ deadlines: d, ...c }: Claim): [string, React.ReactNode][] {
  if (!d) return [];
  if (!c.sent_at || c.state === "rejected") return [["Payer accepts it until", until(d.filing)]];
  return c.payment ? [["Payer accepts an appeal until", until(d.appeal)]] : [];
}

/** overpaid reports whether more is paid or accepted than the charge. */
const overpaid = (c: Claim) => cents(c.open ?? "0.00") < 0;

const tones: Partial<Record<Claim["state"], "bad" | "warn" | "good">> = {
  rejected: "bad",
  denied: "bad",
  needs_attention: "warn",
  paid: "good",
  returned: "good",
};

/** Next names what payers ask for about the claim, and until when, and what happens next, unless
 *  a task has said it. */
function Next({ claim: c, said }: { claim: Claim; said: readonly string[] }) {
  const { api } = useClient();
  const open = api.useQuery("get", "/payer_requests", {
    params: { query: { claim_id: c.id, state: "open", limit: 100 } },
  });
  const requests = open.data?.data.toSorted(soonest) ?? [];
  const review = /needs review: (era_\w+)\.$/.exec(c.next_step)?.[1];
  const named = requests.length > 0 && /answer its request prq_\w+\.$/.test(c.next_step);
  const step =
    requests.length > 0
      ? c.next_step.replace(
          /^No action is needed/,
          `Apart from the ${plural(requests.length, "request")}, no action is needed`,
        )
      : c.next_step;
  return (
    <>
      {requests.map((r) => (
        <Notice
          key={r.id}
          tone="warn"
          title={`${r.payer.name} asks for more information${r.due_date ? ` by ${day(r.due_date)}` : ""}`}
          action={<Go to={`/payer-requests/${r.id}`}>Answer the request</Go>}
        >
          <span className="wrap-anywhere">{r.requested}</span>
        </Notice>
      ))}
      {review ? (
        <Notice
          tone="warn"
          title="A remittance for this claim needs review."
          action={<Go to={`/remittances/${review}`}>Open the remittance</Go>}
        />
      ) : (
        !named &&
        !said.includes(step) && (
          <Notice
            tone={c.payment_changed || overpaid(c) ? "warn" : (tones[c.state] ?? "info")}
            title={step}
          />
        )
      )}
    </>
  );
}

/** adding returns the charge of a claim and where it went, which adds up from left to right. */
const adding = (c: Claim, parts: [string, string][]): [string, React.ReactNode][] => [
  ["Charge", <Money key="c" value={c.totals.charge} />],
  ...parts.map(([what, amount]): [string, React.ReactNode] => [
    what,
    <span key={what}>
      <Money value={amount} strong={cents(amount) !== 0} />
      {what === "Open" && cents(amount) !== 0 && cents(c.not_paid ?? "0.00") !== 0 && (
        <span className="sub">The payer refuses {dollars(c.not_paid ?? "0.00")}</span>
      )}
    </span>,
  ]),
];

/** Payment shows where the charge went. */
function Payment({
  claim: c,
  payment: p,
}: {
  claim: Claim;
  payment: NonNullable<Claim["payment"]>;
}) {
  const may = useMay();
  return (
    <Section
      title="Payment"
      actions={
        <span className="row">
          {may.write && cents(c.not_paid ?? "0.00") !== 0 && (
            <Go to="/settings/attachment-rules" search={{ claim_id: c.id }}>
              Make a rule
            </Go>
          )}
          <Go to={`/remittances/${p.era_id}`}>Remittance</Go>
        </span>
      }
    >
      <Facts
        items={[...adding(c, settled(c)), ["Payment date", <Day key="d" value={p.payment_date} />]]}
      />
    </Section>
  );
}

/** placeOf returns the line or the field of a finding in words. */
function placeOf(field: string | null): string {
  const line = /^lines\.(\d+)\./.exec(field ?? "");
  if (line) return `Line ${Number(line[1]) + 1}: `;
  return field && !field.includes(".") && field !== "lines"
    ? `${words(field.replace(/_id$/, ""))}: `
    : "";
}

/** File names the file that carried the claim, and leads to the claims in it. */
function File({ id }: { id: string }) {
  const { api } = useClient();
  const file = api.useQuery("get", "/batches/{id}", { params: { path: { id } } });
  return (
    <>
      <Go to="/claims" search={{ batch_id: id }}>
        {file.data?.name ?? "Claims in the same file"}
      </Go>
      {file.data && (
        <span className="sub">
          {count(file.data.claim_count, "claim")},{" "}
          {file.data.result
            ? words(file.data.result).toLowerCase()
            : words(file.data.state).toLowerCase()}
        </span>
      )}
    </>
  );
}

/** Related links the claims that belong to this one, and the check that shows a next plan. */
function Related({ claim: c }: { claim: Claim }) {
  const plan = c.second_plan;
  const links = (
    [
      ["Claim that this one voids", c.parent_id],
      ["Original predetermination", c.converted_from],
      ["Claim made from this predetermination", c.converted_to],
      [`Claim to the ${payerBefore(c)} payer`, c.secondary_to],
      [`Claim to the ${nextPayer(c)} payer`, c.secondary_claim_id],
    ] as const
  ).filter(([, id]) => id);
  if (links.length === 0 && !plan) return null;
  return (
    <ul className="plain">
      {links.map(([label, id]) => (
        <li key={label}>
          <Go to={`/claims/${id}`}>{label}</Go>
        </li>
      ))}
      {plan && (
        <li>
          <Go to={`/eligibility/${plan.eligibility_id}`}>
            Check that shows a plan with {plan.payer.name}
          </Go>
        </li>
      )}
    </ul>
  );
}

const editable = (c: Claim) => ["draft", "needs_attention", "rejected"].includes(c.state);

/** editing says what a person does with the form of a claim. */
function editing(c: Claim): string {
  if (c.state === "draft") return "Continue the draft";
  return awaitsEnrollment(c) ? "Change the claim" : "Correct the claim";
}

/** Actions has one primary button, for the next step, and a menu for the rest. */
function Actions({ claim: c }: { claim: Claim }) {
  const may = useMay();
  const go = useGo();
  const { api, mode } = useClient();
  const [simulates, simulate] = useState(false);
  const copy = useCopyAsCurl();
  const params = (key: { "Idempotency-Key": string }) => ({
    path: { id: c.id },
    header: { ...key, ...seen(c) },
  });
  const whenReady = useSend(
    (api, key, wish: boolean) =>
      api.PATCH("/claims/{id}", { params: params(key), body: { submit: wish } }),
    {
      says: (out) =>
        out.submit_when_ready
          ? "Molar sends the claim once the office is enrolled."
          : "Molar does not send the claim automatically.",
    },
  );
  const reopen = useSend((api, key) => api.POST("/claims/{id}/reopen", { params: params(key) }), {
    says: "The claim is open again.",
  });
  const release = useSend((api, key) => api.POST("/claims/{id}/release", { params: params(key) }), {
    says: "The claim is released.",
  });
  const voiding = useSend((api, key) => api.POST("/claims/{id}/void", { params: params(key) }), {
    says: (made) => (made.frequency === "void" ? "The void is queued." : "The claim is voided."),
    done: (made) => go(`/claims/${made.id}`),
  });
  const billed = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: c.secondary_claim_id ?? "" } } },
    { enabled: may.write && !!c.secondary_claim_id },
  );
  const copyCurl = { label: "Copy as curl", onSelect: () => copy(`/claims/${c.id}`) };
  if (!may.write)
    return (
      <More label="More actions" items={[copyCurl]}>
        More
        <ChevronDown size={16} aria-hidden />
      </More>
    );
  const open = (form: "replace" | "secondary") => () => go(`/claims/${c.id}/${form}`);
  const waits = awaitsEnrollment(c);
  const sent = ["accepted_payer", "paid", "denied"].includes(c.state);
  const here = endsHere(c);
  const free = !c.secondary_claim_id || billed.data?.state === "voided";
  const next = nextPayer(c);
  const secondary =
    c.kind === "claim" &&
    next &&
    free &&
    [
      "submitted",
      "accepted_clearinghouse",
      "accepted_payer",
      "paid",
      "denied",
      "reconciled",
    ].includes(c.state);
  const act = firstAct(c);
  const replaces = toReplace(c) || (act === "replaceClaim" && sent);
  const items = (voidIt: () => void): MenuItem[] => [
    ...((sent || c.state === "reconciled") && c.kind === "claim" && !replaces
      ? [{ label: "Replace with a corrected claim", onSelect: open("replace") }]
      : []),
    ...(secondary ? [{ label: `Bill the ${next} payer`, onSelect: open("secondary") }] : []),
    ...(c.submit_when_ready
      ? [{ label: "Do not send automatically", onSelect: () => whenReady.go(false) }]
      : []),
    ...(mode === "test" && may.manage && following(c).length > 0
      ? [{ label: "Simulate the next step", onSelect: () => simulate(true) }]
      : []),
    ...(c.state === "reconciled" ? [{ label: "Reopen", onSelect: () => reopen.go() }] : []),
    ...(c.frequency !== "void" && (here || payerVoids(c))
      ? [{ label: "Void", onSelect: voidIt, danger: true }]
      : []),
    copyCurl,
  ];
  return (
    <>
      {waits && !c.submit_when_ready && (
        <Button look="primary" busy={whenReady.isPending} onClick={() => whenReady.go(true)}>
          Send once enrolled
        </Button>
      )}
      {editable(c) && (
        <ButtonLink
          look={waits ? undefined : "primary"}
          icon={<Pencil size={16} aria-hidden />}
          to={`/claims/${c.id}/edit`}
        >
          {editing(c)}
        </ButtonLink>
      )}
      {c.held && (
        <Button
          data-act="releaseClaim"
          look={c.state === "queued" ? "primary" : undefined}
          busy={release.isPending}
          onClick={() => release.go()}
        >
          Release
        </Button>
      )}
      {c.state === "validated" && <Submit claim={c} />}
      {act === "createAttachment" && (
        <ButtonLink
          data-act="createAttachment"
          look="primary"
          to="/attachments/new"
          search={{ claim_id: c.id }}
        >
          Send documents
        </ButtonLink>
      )}
      {act === "billSecondary" && secondary && (
        <ButtonLink look="primary" to={`/claims/${c.id}/secondary`}>
          Bill the {next} payer
        </ButtonLink>
      )}
      {replaces && (
        <ButtonLink
          look={act === "replaceClaim" ? "primary" : undefined}
          to={`/claims/${c.id}/replace`}
        >
          Replace with a corrected claim
        </ButtonLink>
      )}
      <MakeAppeal claim={c} first={act === "createAppeal"} />
      <Reconcile claim={c} />
      {mode === "test" && <Simulate claim={c} open={simulates} onOpenChange={simulate} />}
      {c.kind === "predetermination" &&
        !c.converted_to &&
        (c.state === "returned" || c.state === "accepted_payer") && (
          <ButtonLink look="primary" to={`/claims/${c.id}/convert`}>
            Convert to a claim
          </ButtonLink>
        )}
      <Confirm
        title="Void this claim?"
        action="Void the claim"
        danger
        busy={voiding.isPending}
        onConfirm={() => voiding.go()}
        trigger={(open) => (
          <More label="More actions" items={items(open)}>
            More
            <ChevronDown size={16} aria-hidden />
          </More>
        )}
      >
        {here ? (
          <p>
            {c.sent_at ? "The payer does not have the claim" : "The claim was never sent"}, and it
            is voided at once. You cannot undo this.
          </p>
        ) : (
          <p>
            Molar sends the payer a void for {dollars(c.totals.charge)} of{" "}
            {c.service_dates.first ? day(c.service_dates.first) : "no date"}. The claim is voided
            when the payer accepts it. You cannot undo this.
          </p>
        )}
      </Confirm>
    </>
  );
}
