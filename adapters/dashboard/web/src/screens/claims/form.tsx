// The claim form: a new claim, a draft or a claim with findings, a corrected
// claim that replaces another. What is wrong stands beside its field.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { type Client, isAPIError, type Schemas, seen, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { merge } from "../../api/merge";
import { useSend } from "../../api/send";
import { Button, ButtonLink } from "../../ui/button";
import { useLeaving } from "../../ui/dialog";
import { type Fault, FaultsOf, SelectField } from "../../ui/form";
import { dollars, name } from "../../ui/format";
import { useChords } from "../../ui/keys";
import { Go, useGo } from "../../ui/link";
import { changedOf, Meanwhile } from "../../ui/meanwhile";
import { useOpen } from "../../ui/opening";
import { attend, Loading, Notice, Page, Read, Section, useCurrent } from "../../ui/page";
import { PayerPicker } from "../../ui/payer-picker";
import { count } from "../../ui/plural";
import { State } from "../../ui/state";
import { useToast } from "../../ui/toast";
import { Advice, AskAdvice, type Ignored } from "./advice";
import {
  aClaim,
  awaitsEnrollment,
  type Claim,
  type ClaimForm,
  contentOf,
  formOf,
  total,
} from "./form-data";
import { Faulty } from "./form-faults";
import { Lines } from "./form-lines";
import { MoreParts } from "./form-more";
import { checked, earlier, estimated, FindPatient, People } from "./form-people";
import { unanswered } from "./lacking";
import { sendImages, useUnsent } from "./submit";
import { theirs } from "./theirs";
import "./form.css";

type Attachments = readonly Schemas["Attachment"][];

/** How is what becomes of what was entered. */
type How = "draft" | "check" | "send";

/** copiedFrom returns what a new claim takes from what its address names. */
async function copiedFrom(
  client: Client,
  of: { patientID?: string; checkID?: string; estimateID?: string },
): Promise<Partial<ClaimForm> | null> {
  if (of.estimateID) return estimated(client, of.estimateID);
  if (of.checkID) return checked(client, of.checkID);
  return (await earlier(client, of.patientID ?? ""))?.copy ?? null;
}

/** NewClaim is an empty form, or one with the patient, the eligibility check or the estimate of the address. */
export function NewClaim() {
  const client = useClient();
  const [{ patient_id: patientID, check_id: checkID, estimate_id: estimateID }] =
    useFilters("/claims/new");
  const from = patientID ?? checkID ?? estimateID;
  const toast = useToast();
  const copied = useQuery({
    queryKey: ["copy", patientID, checkID, estimateID],
    enabled: from !== undefined,
    gcTime: 0, // the next form copies what is there then
    staleTime: "static",
    queryFn: () =>
      copiedFrom(client, { patientID, checkID, estimateID }).catch((e: unknown) => {
        toast.refused(e);
        return null;
      }),
  });
  if (from && copied.isPending)
    return (
      <Page title="New claim">
        <Section>
          <Loading rows={10} />
        </Section>
      </Page>
    );
  return <Form title="New claim" begin={{ ...aClaim(), ...copied.data }} what={{ kind: "new" }} />;
}

/** EditClaim corrects a claim that the payer does not have yet. */
export function EditClaim() {
  return (
    <Loaded title="Edit the claim">
      {(c) =>
        ["draft", "needs_attention", "rejected"].includes(c.state) ? (
          <Form
            key={c.id}
            title={c.state === "draft" ? "Draft" : "Correct the claim"}
            begin={formOf(c)}
            what={{ kind: "edit", claim: c }}
          />
        ) : (
          <Closed claim={c}>
            Only a draft, a claim that needs attention, or a rejected claim can be edited.
          </Closed>
        )
      }
    </Loaded>
  );
}

/** ReplaceClaim sends a corrected claim in place of the one that the payer has. */
export function ReplaceClaim() {
  return (
    <Loaded title="Replace the claim">
      {(c) => {
        if (c.kind === "claim" && ["accepted_payer", "paid", "denied"].includes(c.state))
          return (
            <Form
              key={c.id}
              title="Replace the claim"
              begin={formOf(c)}
              what={{ kind: "replace", claim: c }}
            />
          );
        if (c.kind === "claim" && c.state === "reconciled") return <ReopenFirst claim={c} />;
        return (
          <Closed claim={c}>
            A claim can be replaced once the payer has accepted, paid or denied it.
          </Closed>
        );
      }}
    </Loaded>
  );
}

/** ReopenFirst opens a claim that is closed, because it is reconciled. The form then begins. */
function ReopenFirst({ claim: c }: { claim: Claim }) {
  const reopen = useSend(
    (api, key) => api.POST("/claims/{id}/reopen", { params: { path: { id: c.id }, header: key } }),
    { says: "The claim is open again." },
  );
  return (
    <WithoutForm claim={c}>
      <Notice
        tone="warn"
        title="The claim is closed, because it is reconciled. Reopen it to replace it."
        action={
          <Button look="primary" busy={reopen.isPending} onClick={() => reopen.go()}>
            Reopen the claim
          </Button>
        }
      >
        Reopening takes back what was accepted, and leaves the remittance as it is.
        {c.payment && (
          <>
            {" "}
            If the payment itself was posted by mistake,{" "}
            <Go to={`/remittances/${c.payment.era_id}`}>open the remittance</Go> and unpost it: that
            also reopens the claims that its posting reconciled.
          </>
        )}
      </Notice>
    </WithoutForm>
  );
}

/** Loaded shows a form once its claim is there. Later changes of the claim do not change what is being
 *  typed, unless it is reopened for that. */
export function Loaded({
  title,
  children,
}: {
  title: string;
  children: (claim: Claim) => ReactNode;
}) {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const claim = useCurrent(api.useQuery("get", "/claims/{id}", { params: { path: { id } } }));
  if (claim.data) {
    return (
      <Begun key={`${id} ${claim.data.state === "reconciled"}`} claim={claim.data}>
        {children}
      </Begun>
    );
  }
  return (
    <Page title={title} above={<Go to={`/claims/${id}`}>Claim</Go>}>
      <Read card of={claim} rows={10}>
        {() => null}
      </Read>
    </Page>
  );
}

/** Begun keeps the claim as it was when the form began. */
function Begun({ claim, children }: { claim: Claim; children: (claim: Claim) => ReactNode }) {
  const [first] = useState(claim);
  return children(first);
}

/** WithoutForm is the page of a form for a claim that has none now. */
function WithoutForm({ claim: c, children }: { claim: Claim; children: ReactNode }) {
  return (
    <Page
      title={name(c.patient_name)}
      above={<Go to={`/claims/${c.id}`}>Claim</Go>}
      about={<State value={c.state} />}
    >
      {children}
    </Page>
  );
}

/** Closed says that a claim is in a state without a form. */
export function Closed({ claim: c, children }: { claim: Claim; children: ReactNode }) {
  return (
    <WithoutForm claim={c}>
      <Notice
        title={c.next_step}
        action={<ButtonLink to={`/claims/${c.id}`}>Show the claim</ButtonLink>}
      >
        {children}
      </Notice>
    </WithoutForm>
  );
}

type What = { kind: "new" } | { kind: "edit" | "replace"; claim: Claim };

function Form({ title, begin, what }: { title: string; begin: ClaimForm; what: What }) {
  const client = useClient();
  const { api, queries } = client;
  const go = useGo();
  const open = useOpen();
  const toast = useToast();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const providers = api.useQuery("get", "/providers", { params: { query: { limit: 100 } } });
  const [form, setForm] = useState(begin);
  const [saved, setSaved] = useState(begin);
  const [claim, setClaim] = useState<Claim | null>(what.kind === "new" ? null : what.claim);
  const [faults, setFaults] = useState<readonly Fault[]>(
    what.kind === "edit" ? what.claim.findings : [],
  );
  const [refused, setRefused] = useState<unknown>(null);
  const ignored = useRef<Ignored>({}); // why a replacement goes without what its payer wants to see
  const [replies, setReplies] = useState(0); // of the service, to what was sent from here
  const set = useCallback(
    (change: Partial<ClaimForm> | ((f: ClaimForm) => Partial<ClaimForm>)) =>
      setForm((f) => ({ ...f, ...(typeof change === "function" ? change(f) : change) })),
    [],
  );

  const places = (offices.data?.data ?? []).filter((o) => !o.retired || o.id === form.office_id);
  const people = (providers.data?.data ?? []).filter(
    (p) => !p.retired || p.id === form.rendering_provider_id,
  );
  const first = people.reduce<Schemas["Provider"] | undefined>(
    (a, p) => (a && a.created_at <= p.created_at ? a : p),
    undefined,
  ); // as the service chooses
  // The only office is the office.
  const [only] = places.length === 1 ? places : [];
  const office_id = form.office_id || (only?.id ?? "");

  const leaving = useLeaving(() => JSON.stringify(form) !== JSON.stringify(saved));

  const send = useSend<{ how: How; before: Attachments }, Claim>(
    async (fetch, key, { how, before }) => {
      const { patient_control_number: number } = form;
      const body = {
        ...contentOf({ ...form, office_id }),
        ...(number.trim() && number !== claim?.patient_control_number
          ? { patient_control_number: number.trim() }
          : {}),
      };
      if (claim && what.kind === "replace") {
        const error = await sendImages(fetch, key, before);
        if (error) return { error };
        return fetch.POST("/claims/{id}/replace", {
          params: { path: { id: claim.id }, header: { ...key, ...seen(claim) } },
          body: { ...body, advice_ignored: ignored.current } as Schemas["ClaimRequest"],
        });
      }
      const wish = { draft: how === "draft", submit: false };
      const saved = claim
        ? await fetch.PATCH("/claims/{id}", {
            params: { path: { id: claim.id }, header: { ...key, ...seen(claim) } },
            body: { ...body, ...wish },
          })
        : await fetch.POST("/claims", {
            params: { header: key },
            body: { ...body, kind: form.kind, ...wish } as Schemas["ClaimRequest"],
          });
      const now = saved.data;
      // The page of the claim asks about what the payer wants to see, which follows from what is saved.
      if (how !== "send" || !now || asks(now)) return saved;
      const waits = now.state !== "validated";
      // Images go once nothing of their claim is left to correct.
      if (waits && before.length > 0 && !awaitsEnrollment(now)) return saved;
      const params = {
        path: { id: now.id },
        header: { "Idempotency-Key": `${key["Idempotency-Key"]}-submit` },
      };
      let error: unknown = await sendImages(fetch, key, before);
      if (!error) {
        const sent = waits
          ? await fetch.PATCH("/claims/{id}", { params, body: { submit: true } })
          : await fetch.POST("/claims/{id}/submit", { params });
        if (sent.data) return sent;
        error = sent.error;
      }
      toast.refused(error);
      return saved;
    },
    {
      quiet: true,
      done: (out, { how }) => {
        queries.setQueryData(["get", "/claims/{id}", { params: { path: { id: out.id } } }], out);
        setRefused(null);
        setSaved(form);
        leaving.mayLeave();
        setReplies((n) => n + 1);
        if (how === "draft" || out.findings.length === 0 || awaitsEnrollment(out)) {
          if (how === "send" && asks(out)) {
            open({ to: `/claims/${out.id}` });
            return;
          }
          toast.good(becameOf(out, how));
          go(`/claims/${out.id}`);
          return;
        }
        setClaim(out);
        setFaults(out.findings);
        if (!claim) go(`/claims/${out.id}/edit`);
      },
      failed: (e) => {
        if (claim && changedOf(e)) void catchUp(claim.id);
        setRefused(e);
        setFaults(isAPIError(e) ? e.errors : []);
        setReplies((n) => n + 1);
      },
    },
  );
  /** catchUp takes what another person saved, without what was typed here. */
  const catchUp = async (id: string) => {
    const { data } = await client.fetch.GET("/claims/{id}", { params: { path: { id } } });
    if (!data) return;
    const now = formOf(data);
    setForm((typed) => merge(saved, typed, now));
    setSaved(now);
    setClaim(data);
  };
  const changed = changedOf(refused);
  const names = new Map([
    ...places.map((o) => [o.id, o.name] as const),
    ...people.map((p) => [p.id, name(p)] as const),
    ...(saved.payer ? [[saved.payer.payer_id, saved.payer.name] as const] : []),
  ]);
  const wrong = !changed && (faults.length > 0 || refused !== null);

  const replacing = what.kind === "replace";
  const [asking, setAsking] = useState(false);
  const unsent = useUnsent(claim?.id ?? "", (before) => send.go({ how: "send", before }));
  const isPending = send.isPending || unsent.isPending;
  const failing = send.failureCount + unsent.failureCount > 0;
  const doing = unsent.isPending ? "send" : send.input?.how;
  const act = (how: How) => {
    if (isPending) return;
    if (how === "send" && claim && replacing && unanswered(claim).length > 0) setAsking(true);
    else if (how === "send" && claim) unsent.ask();
    else send.go({ how, before: [] });
  };
  useChords({
    enter: () => act(replacing ? "send" : "check"),
    ...(!replacing && { s: () => act("draft") }),
  });
  const begins = what.kind === "edit" && replies === 0; // with what was found, whose points lead to their fields
  return (
    <FaultsOf list={faults} request={{ ...form, ...contentOf({ ...form, office_id }) }}>
      <Page
        title={title}
        above={
          claim ? (
            <Go to={`/claims/${claim.id}`}>{name(claim.patient_name)}</Go>
          ) : (
            <Go to="/claims">Claims</Go>
          )
        }
        about={
          claim && (
            <>
              <State value={claim.state} />
              <span>
                {replacing
                  ? "The payer gets this in place of the claim that it has. The claim keeps its number."
                  : claim.next_step}
              </span>
            </>
          )
        }
      >
        <form
          className="stack claim-form"
          aria-label={title}
          autoComplete="off"
          onSubmit={(e) => e.preventDefault()}
        >
          {changed && (
            <Meanwhile
              key={replies}
              changed={changed}
              kept={(field) => theirs(field, saved, form, names)}
              take={(field) =>
                set(field === "lines" ? { lines: saved.lines } : { other: saved.other })
              }
            />
          )}
          {wrong && (
            <Faulty
              key={replies}
              ref={replies > 0 || begins ? attend : undefined}
              given={faults.length}
              refused={refused}
            />
          )}
          {claim && <Advice claim={claim} may={false} />}
          <Section title="Claim">
            <div className="fields">
              {what.kind === "new" && (
                <SelectField
                  label="Kind"
                  path="kind"
                  value={form.kind}
                  onChange={(kind) => set({ kind: kind as ClaimForm["kind"] })}
                  options={[
                    ["claim", "Claim, for payment"],
                    ["predetermination", "Predetermination, for an estimate"],
                  ]}
                />
              )}
              <SelectField
                label="Office"
                path="office_id"
                value={office_id}
                onChange={(office_id) => set({ office_id })}
                options={[
                  ...(office_id
                    ? []
                    : [["", offices.isPending ? "Loading…" : "Choose an office"] as const]),
                  ...places.map((o) => [o.id, o.name] as const),
                ]}
              />
              <SelectField
                label="Treating provider"
                path="rendering_provider_id"
                value={form.rendering_provider_id}
                onChange={(rendering_provider_id) => set({ rendering_provider_id })}
                options={[
                  ["", first ? `${name(first)} (default)` : "Default"],
                  ...people.map((p) => [p.id, name(p)] as const),
                ]}
              />
              <PayerPicker
                label="Payer"
                accepts="claims"
                path="payer_id"
                value={form.payer}
                onChange={(payer) => set({ payer })}
              />
              <SelectField
                label="Coverage"
                path="coverage"
                value={form.coverage}
                onChange={(coverage) => set({ coverage })}
                options={[
                  ["primary", "Primary"],
                  ["secondary", "Secondary"],
                  ["tertiary", "Tertiary"],
                ]}
              />
            </div>
          </Section>
          <Section title="Patient">
            {what.kind === "new" && !claim && <FindPatient form={form} set={set} />}
            <People form={form} set={set} />
          </Section>
          <Section title="Services" flush id="services">
            <Lines form={form} set={set} providers={people} />
          </Section>
          <MoreParts form={form} set={set} sent={claim?.sent_at != null} />
          <div className="save-bar no-print">
            <p className="save-total">
              <span className="muted">{count(form.lines.length, "line")}</span>{" "}
              <strong className="numbers">{dollars(total(form.lines))}</strong>
            </p>
            <div className="row">
              {!replacing && (
                <Button
                  onClick={() => act("draft")}
                  busy={isPending && doing === "draft"}
                  disabled={isPending}
                  title="Ctrl S"
                >
                  Save as draft
                </Button>
              )}
              {!replacing && (
                <Button
                  onClick={() => act("check")}
                  busy={isPending && doing === "check"}
                  disabled={isPending}
                  title="Ctrl Enter"
                >
                  Check
                </Button>
              )}
              <Button
                look="primary"
                onClick={() => act("send")}
                busy={isPending && doing === "send"}
                disabled={isPending}
              >
                {replacing ? "Send the replacement" : "Send"}
              </Button>
            </div>
            <p className="only-read" role="status">
              {isPending && failing && "Molar does not reply. Trying again."}
              {isPending && !failing && "Saving."}
            </p>
            {isPending && failing && (
              <p className="save-wait" aria-hidden>
                Molar does not reply. What you entered stays here; Molar gets it when it replies.
              </p>
            )}
          </div>
        </form>
        {leaving.dialog}
        {unsent.dialog}
        {claim && (
          <AskAdvice
            claim={claim}
            advice={unanswered(claim)}
            open={asking}
            onOpenChange={setAsking}
            busy={isPending}
            send={(reasons) => {
              ignored.current = reasons;
              setAsking(false);
              unsent.ask();
            }}
          />
        )}
      </Page>
    </FaultsOf>
  );
}

/** asks reports whether a person is asked about what the payer wants to see, before the claim is sent. */
const asks = (c: Claim): boolean => c.state === "validated" && unanswered(c).length > 0;

/** becameOf says what became of a claim that has nothing to correct. */
function becameOf(out: Claim, how: How): string {
  if (how === "draft") return "The draft is saved.";
  if (out.state === "queued") return "The claim is queued for the next file.";
  if (awaitsEnrollment(out)) return "The claim is saved, and waits for its office to be enrolled.";
  return "The claim is saved, and nothing is wrong with it.";
}
