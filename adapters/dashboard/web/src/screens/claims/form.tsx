// The claim form: a new claim, a draft or a claim with findings, a corrected
// claim that replaces another. What is wrong stands beside its field.
import { useBlocker, useParams } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { one, useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { type Fault, FaultsOf, SelectField } from "../../ui/form";
import { count, dollars, name } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { Failure, Loading, Notice, Page, Section, why } from "../../ui/page";
import { PayerPicker } from "../../ui/payer-picker";
import { State } from "../../ui/state";
import { useToast } from "../../ui/toast";
import {
  aClaim,
  awaitsEnrollment,
  type Claim,
  type ClaimForm,
  contentOf,
  formOf,
  placed,
  total,
} from "./form-data";
import { Lines } from "./form-lines";
import { MoreParts } from "./form-more";
import { earlier, FindPatient, People } from "./form-people";
import "./form.css";

/** How is what becomes of what was entered. */
type How = "draft" | "check" | "send";

/** NewClaim is an empty form, or one with a patient of the address. */
export function NewClaim() {
  const client = useClient();
  const [filters] = useFilters();
  const patientID = one(filters.patient_id);
  const [begin, setBegin] = useState<ClaimForm | null>(patientID ? null : aClaim());
  const toast = useToast();
  useEffect(() => {
    if (!patientID) return;
    earlier(client, patientID)
      .then((found) => setBegin({ ...aClaim(), ...found?.copy }))
      .catch((e: unknown) => {
        toast.refused(e);
        setBegin(aClaim());
      });
  }, [client, patientID, toast]);
  if (!begin)
    return (
      <Page title="New claim">
        <Section>
          <Loading rows={10} />
        </Section>
      </Page>
    );
  return <Form title="New claim" begin={begin} what={{ kind: "new" }} />;
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
      {(c) =>
        ["accepted_payer", "paid", "denied"].includes(c.state) && c.kind === "claim" ? (
          <Form
            key={c.id}
            title="Replace the claim"
            begin={formOf(c)}
            what={{ kind: "replace", claim: c }}
          />
        ) : (
          <Closed claim={c}>
            A claim can be replaced once the payer has accepted, paid or denied it.
          </Closed>
        )
      }
    </Loaded>
  );
}

/** Loaded shows a form once its claim is there. Later changes of the claim do not change what is being typed. */
export function Loaded({
  title,
  children,
}: {
  title: string;
  children: (claim: Claim) => ReactNode;
}) {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const claim = api.useQuery("get", "/claims/{id}", { params: { path: { id } } });
  const [first, setFirst] = useState<Claim | null>(null);
  useEffect(() => {
    if (claim.data && claim.data.id !== first?.id) setFirst(claim.data);
  }, [claim.data, first]);
  if (first?.id === id) return children(first);
  return (
    <Page title={title} above={<Go to={`/claims/${id}`}>Claim</Go>}>
      <Section flush>
        {claim.error ? (
          <Failure error={claim.error} retry={() => void claim.refetch()} />
        ) : (
          <Loading rows={10} />
        )}
      </Section>
    </Page>
  );
}

/** Closed says that a claim is in a state without a form. */
export function Closed({ claim: c, children }: { claim: Claim; children: ReactNode }) {
  return (
    <Page
      title={name(c.patient_name)}
      above={<Go to={`/claims/${c.id}`}>Claim</Go>}
      about={<State value={c.state} />}
    >
      <Notice
        title={c.next_step}
        action={<ButtonLink to={`/claims/${c.id}`}>Show the claim</ButtonLink>}
      >
        {children}
      </Notice>
    </Page>
  );
}

type What = { kind: "new" } | { kind: "edit" | "replace"; claim: Claim };

function Form({ title, begin, what }: { title: string; begin: ClaimForm; what: What }) {
  const client = useClient();
  const { api, queries } = client;
  const may = useMay();
  const go = useGo();
  const toast = useToast();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const providers = api.useQuery("get", "/providers", { params: { query: { limit: 100 } } });
  const [form, setForm] = useState(begin);
  const [saved, setSaved] = useState(begin);
  const [claim, setClaim] = useState<Claim | null>(what.kind === "new" ? null : what.claim);
  const [faults, setFaults] = useState<readonly Fault[]>(
    what.kind === "edit" ? what.claim.findings.map(placed) : [],
  );
  const [refused, setRefused] = useState<unknown>(null);
  const summary = useRef<HTMLDivElement>(null);
  const set = useCallback(
    (change: Partial<ClaimForm> | ((f: ClaimForm) => Partial<ClaimForm>)) =>
      setForm((f) => ({ ...f, ...(typeof change === "function" ? change(f) : change) })),
    [],
  );

  // The only office is the office.
  const places = (offices.data?.data ?? []).filter((o) => !o.retired || o.id === form.office_id);
  const people = (providers.data?.data ?? []).filter(
    (p) => !p.retired || p.id === form.rendering_provider_id,
  );
  const first = people.reduce<Schemas["Provider"] | undefined>(
    (a, p) => (a && a.created_at <= p.created_at ? a : p),
    undefined,
  ); // as the service chooses
  const only = places.length === 1 ? places[0]!.id : undefined;
  useEffect(() => {
    if (!only) return;
    const choose = (f: ClaimForm) => (f.office_id ? f : { ...f, office_id: only });
    setForm(choose);
    setSaved(choose);
  }, [only]);

  const leaving = useLeaving(() => JSON.stringify(form) !== JSON.stringify(saved));

  const send = useSend<How, Claim>(
    async (fetch, key, how) => {
      const { patient_control_number: number } = form;
      const body = {
        ...contentOf(form),
        ...(number.trim() && number !== claim?.patient_control_number
          ? { patient_control_number: number.trim() }
          : {}),
      };
      if (what.kind === "replace")
        return fetch.POST("/claims/{id}/replace", {
          params: { path: { id: what.claim.id }, header: key },
          body: body as Schemas["ClaimRequest"],
        });
      const wish = { draft: how === "draft", submit: how === "send" };
      if (claim)
        return fetch.PATCH("/claims/{id}", {
          params: { path: { id: claim.id }, header: key },
          body: { ...body, ...wish },
        });
      return fetch.POST("/claims", {
        params: { header: key },
        body: { ...body, kind: form.kind, ...wish } as Schemas["ClaimRequest"],
      });
    },
    {
      quiet: true,
      done: (out, how) => {
        queries.setQueryData(["get", "/claims/{id}", { params: { path: { id: out.id } } }], out);
        setRefused(null);
        setSaved(form);
        leaving.mayLeave();
        if (how === "draft" || out.findings.length === 0 || awaitsEnrollment(out)) {
          toast.good(becameOf(out, how));
          go(`/claims/${out.id}`);
          return;
        }
        setClaim(out);
        setFaults(out.findings.map(placed));
        if (!claim) go(`/claims/${out.id}/edit`);
      },
    },
  );
  const error = send.error;
  useEffect(() => {
    if (!error) return;
    setRefused(error);
    setFaults(isAPIError(error) ? error.errors.map(placed) : []);
  }, [error]);
  const wrong = faults.length > 0 || refused !== null;
  const seen = useRef(faults);
  useEffect(() => {
    if (wrong && (seen.current !== faults || refused)) summary.current?.focus();
    seen.current = faults;
  }, [wrong, faults, refused]);

  const act = (how: How) => {
    if (!send.isPending) send.go(how);
  };
  const replacing = what.kind === "replace";
  if (!may.write) {
    return (
      <Page title={title} above={<Go to="/claims">Claims</Go>}>
        <Notice tone="info" title="Your role reads claims, and does not write them.">
          An owner can change your role.
        </Notice>
      </Page>
    );
  }
  return (
    <FaultsOf list={faults}>
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
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <form
          className="stack claim-form"
          aria-label={title}
          autoComplete="off"
          onSubmit={(e) => e.preventDefault()}
          onKeyDown={(e) => {
            if (!(e.ctrlKey || e.metaKey)) return;
            if (e.key === "Enter") act(replacing ? "send" : "check");
            else if (e.key.toLowerCase() === "s" && !replacing) act("draft");
            else return;
            e.preventDefault();
          }}
        >
          {wrong && <Faulty ref={summary} faults={faults} refused={refused} />}
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
                value={form.office_id}
                onChange={(office_id) => set({ office_id })}
                options={[
                  ...(form.office_id
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
                  busy={send.isPending && send.input === "draft"}
                  disabled={send.isPending}
                  title="Ctrl S"
                >
                  Save as draft
                </Button>
              )}
              {!replacing && (
                <Button
                  onClick={() => act("check")}
                  busy={send.isPending && send.input === "check"}
                  disabled={send.isPending}
                  title="Ctrl Enter"
                >
                  Check
                </Button>
              )}
              <Button
                look="primary"
                onClick={() => act("send")}
                busy={send.isPending && send.input === "send"}
                disabled={send.isPending}
              >
                {replacing ? "Send the replacement" : "Send"}
              </Button>
            </div>
            <p className="only-read" role="status">
              {send.isPending
                ? send.failureCount > 0
                  ? "Molar does not reply. Trying again."
                  : "Saving."
                : ""}
            </p>
            {send.isPending && send.failureCount > 0 && (
              <p className="save-wait" aria-hidden>
                Molar does not reply. What you entered stays here; Molar gets it when it replies.
              </p>
            )}
          </div>
        </form>
        {leaving.dialog}
      </Page>
    </FaultsOf>
  );
}

/** becameOf says what became of a claim that has nothing to correct. */
function becameOf(out: Claim, how: How): string {
  if (how === "draft") return "The draft is saved.";
  if (out.state === "queued") return "The claim is queued for the next file.";
  if (awaitsEnrollment(out))
    return "The claim is saved, and waits for the enrollment of its office.";
  return "The claim is saved, and nothing is wrong with it.";
}

/** Faulty says what is wrong, and leads to the fields. */
export function Faulty({
  faults,
  refused,
  ref,
}: {
  faults: readonly Fault[];
  refused: unknown;
  ref: React.Ref<HTMLDivElement>;
}) {
  return (
    <div ref={ref} tabIndex={-1} className="faulty" role="alert">
      <p className="strong">
        {refused !== null && faults.length === 0
          ? why(refused)
          : `${count(faults.length, "thing")} to correct`}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map((f) => (
            <li key={`${f.field} ${f.message}`}>
              {f.field && fieldAt(f.field) !== false ? (
                <button type="button" className="link-button" onClick={() => focusOn(f.field!)}>
                  {where(f)}
                  {f.message}
                </button>
              ) : (
                <span>{f.message}</span>
              )}
              {f.fix && <span className="muted"> {f.fix}</span>}
            </li>
          ))}
        </ul>
      )}
      {refused !== null && faults.length === 0 && (
        <p className="muted">What you entered is still here.</p>
      )}
      {isAPIError(refused) && (
        <p className="muted small">
          Request <code>{refused.request_id}</code>
        </p>
      )}
    </div>
  );
}

/** where returns the field that a fault is in, as far as its message does not say it. */
function where({ field: path, message, fix }: Fault): string {
  if (!path) return "";
  const of = fieldAt(path);
  const label = of ? (of.querySelector("label")?.firstChild?.textContent ?? "") : "";
  return (
    place(path) +
    (label &&
    !message.toLowerCase().includes(label.toLowerCase()) &&
    !(fix && path.startsWith("lines."))
      ? `${label}: `
      : "")
  );
}

function place(path: string): string {
  const line = /^lines\.(\d+)/.exec(path);
  if (line) return `Line ${Number(line[1]) + 1}: `;
  const other = /^other_coverage\.(\d+)/.exec(path);
  return other ? `Other plan ${Number(other[1]) + 1}: ` : "";
}

const fieldAt = (path: string): HTMLElement | null | false =>
  /^[a-z_0-9.]+$/.test(path) ? document.querySelector<HTMLElement>(`[data-path="${path}"]`) : false;

/** focusOn opens the part that a field is in, and goes to the field. */
function focusOn(path: string): void {
  const field = fieldAt(path);
  if (!field) return;
  const part = field.closest("details");
  if (part) part.open = true;
  field.scrollIntoView({ block: "center" });
  field.querySelector<HTMLElement>("input, select, textarea")?.focus();
}

/** useLeaving asks before what was entered is lost. A session that ends is not asked about: nothing may be kept then. */
export function useLeaving(unsaved: () => boolean): { dialog: ReactNode; mayLeave: () => void } {
  const free = useRef(false);
  const blocks = () => !free.current && unsaved();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ next }) => (next as { pathname: string }).pathname !== "/sign-in" && blocks(),
    enableBeforeUnload: blocks,
    withResolver: true,
  });
  return {
    mayLeave: () => {
      free.current = true;
      setTimeout(() => {
        free.current = false;
      }, 500);
    },
    dialog: (
      <Modal
        title="Leave without saving?"
        open={status === "blocked"}
        onOpenChange={(o) => {
          if (!o) reset?.();
        }}
      >
        <div className="stack">
          <p>What you entered is not saved.</p>
          <div className="dialog-actions">
            <Button onClick={() => reset?.()}>Stay</Button>
            <Button look="danger" onClick={() => proceed?.()}>
              Leave
            </Button>
          </div>
        </div>
      </Modal>
    ),
  };
}
