// A new estimate: procedures by code or name, and at once what the patient pays.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { isAPIError, newKey, type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { useTyping } from "../../ui/dialog";
import { DateField, FaultsOf, Group, MoneyField, SelectField, TextField } from "../../ui/form";
import { name, useToday, When, words } from "../../ui/format";
import { useLate } from "../../ui/late";
import { Go, useGo } from "../../ui/link";
import { Empty, Failure, Notice, Page, Section, Waiting } from "../../ui/page";
import { Picker } from "../../ui/picker";
import { procedureName, proceduresNamed } from "../../ui/procedures";
import { amount } from "../claims/form-data";
import { areas } from "../claims/form-lines";
import type { CheckResource } from "../eligibility/list";
import { Outcome } from "./amounts";
import {
  aService,
  asksOf,
  daysOf,
  type Estimate,
  type EstimateLine,
  lineOf,
  type Service,
  serviceOf,
  visitOf,
  whole,
} from "./lines";
import "./estimates.css";

/** NewEstimate begins with the check, or with an earlier estimate, of the address. */
export function NewEstimate() {
  const { api } = useClient();
  const [{ check_id = "", again = "" }] = useFilters("/estimates/new");
  const earlier = api.useQuery(
    "get",
    "/estimates/{id}",
    { params: { path: { id: again } } },
    { enabled: again !== "" },
  );
  const from = check_id || (earlier.data?.eligibility_id ?? "");
  const check = api.useQuery(
    "get",
    "/eligibility/{id}",
    { params: { path: { id: from } } },
    { enabled: from !== "" },
  );
  if (!from && !again)
    return (
      <Page title="New estimate">
        <Section>
          <Empty title="An estimate begins with a check">
            Open the check that the payer has answered, and choose Estimate.
          </Empty>
        </Section>
      </Page>
    );
  if (!check.data || (again && !earlier.data))
    return <Waiting title="New estimate" rows={10} of={check.error ? check : earlier} />;
  const c = check.data;
  return (
    <Page
      title="New estimate"
      above={<Go to={`/eligibility/${c.id}`}>{name(c.request.patient ?? c.request.subscriber)}</Go>}
      about={
        <>
          <span>{c.payer.name}</span>
          <span>
            checked <When value={c.created_at} full />
          </span>
        </>
      }
    >
      {c.outcome === "answered" ? (
        <Form check={c} earlier={earlier.data} />
      ) : (
        <Notice tone="warn" title="The payer has not answered this check.">
          Check the patient again, and estimate from the answer.
        </Notice>
      )}
    </Page>
  );
}

type Request = Schemas["EstimateRequest"];

const ways: [NonNullable<Request["coordination"]>, string][] = [
  ["standard", "Pays what is left, up to its own benefit"],
  ["basic", "Pays what is left, up to what it allows"],
  ["carve_out", "Pays its benefit less what the first plan pays"],
  ["non_duplication", "Pays only what the first plan pays less than it would"],
];

function Form({ check: c, earlier }: { check: CheckResource; earlier: Estimate | undefined }) {
  const { api } = useClient();
  const go = useGo();
  const leaving = useTyping();
  const today = useToday();
  const visit = visitOf(c.request.service_date, today);
  const [services, setServices] = useState<Service[]>(
    () => earlier?.lines.map(serviceOf) ?? c.request.procedure_codes.map(aService),
  );
  const [network, setNetwork] = useState<"" | "in" | "out">(earlier?.network ?? "");
  const [second, setSecond] = useState(earlier?.secondary_eligibility_id ?? "");
  const [way, setWay] = useState<string>(earlier?.coordination ?? "standard");
  const known = c.network_status === "in_network" || c.network_status === "out_of_network";
  const patient = api.useQuery(
    "get",
    "/patients/{id}/overview",
    { params: { path: { id: c.patient_id ?? "" } } },
    { enabled: c.patient_id !== null },
  );
  const seconds = (patient.data?.coverages ?? []).filter(
    (p) => p.eligibility_id !== c.id && p.payer.id !== c.payer.id,
  );
  const body: Request = {
    eligibility_id: c.id,
    lines: services.map((s) => lineOf(s, visit)),
    ...(!known && network && { network }),
    ...(second && {
      secondary_eligibility_id: second,
      coordination: way as NonNullable<Request["coordination"]>,
    }),
  };
  const ready = services.length > 0 && services.every(whole) && (known || network !== "");
  const shown = usePreview(body, ready);
  const faults = isAPIError(shown.error) ? shown.error.errors : [];
  const save = useSend(
    (fetch, key, request: Request) =>
      fetch.POST("/estimates", { params: { header: key }, body: request }),
    {
      says: "Saved",
      done: (made) => {
        leaving.mayLeave();
        go(`/estimates/${made.id}`, { arrives: true });
      },
    },
  );
  const put = (key: number, change: Partial<Service>) =>
    setServices((all) => all.map((s) => (s.key === key ? { ...s, ...change } : s)));
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (ready) save.go(body);
  };
  return (
    <FaultsOf list={faults} request={body}>
      <form className="stack" onSubmit={submit} noValidate {...leaving.input}>
        <Section title="Procedures">
          <p>{daysOf(services, visit || today)}</p>
          <Group path="lines" className="stack">
            {services.map((s, i) => (
              <ServiceFields
                key={s.key}
                of={s}
                at={`lines.${i}`}
                result={shown.data?.lines[i]}
                put={(change) => put(s.key, change)}
                remove={() => setServices((all) => all.filter((o) => o.key !== s.key))}
              />
            ))}
          </Group>
          <div className="fields">
            <Picker
              label="Add a procedure"
              kind="procedures"
              placeholder="crown, cleaning, D1110"
              nothing="No procedure has this name. Enter its code, such as D2740."
              min={2}
              value={null as { id: string; name: string } | null}
              text={(p) => words(p.name)}
              about={(p) => p.id}
              find={async (text) => found(text)}
              onChange={(p) => p && setServices((all) => [...all, aService(p.id)])}
            />
            {!known && (
              <SelectField
                label="Your office"
                path="network"
                value={network}
                onChange={(v) => setNetwork(v as typeof network)}
                hint="The payer does not say whether your office is in the plan's network."
                options={[
                  ["", "Choose"],
                  ["in", "In the plan's network"],
                  ["out", "Out of the plan's network"],
                ]}
              />
            )}
            {seconds.length > 0 && (
              <SelectField
                label="Second plan"
                path="secondary_eligibility_id"
                value={second}
                onChange={setSecond}
                options={[
                  ["", "None"],
                  ...seconds.map((p) => [p.eligibility_id, p.payer.name] as const),
                ]}
              />
            )}
            {second && (
              <SelectField
                label="The second plan"
                path="coordination"
                value={way}
                onChange={setWay}
                options={ways}
              />
            )}
          </div>
        </Section>
        {shown.error && faults.length === 0 && (
          <Failure error={shown.error} retry={() => void shown.refetch()} />
        )}
        {services.length > 0 && shown.data && <Outcome of={shown.data} />}
        <div className="row">
          <Button type="submit" look="primary" busy={save.isPending} disabled={!ready}>
            Save the estimate
          </Button>
        </div>
      </form>
      {leaving.dialog}
    </FaultsOf>
  );
}

/** found returns the procedures that a text names; a code without a name of its own, too. */
function found(text: string): { id: string; name: string }[] {
  const code = text
    .trim()
    .toUpperCase()
    .replace(/^(?=\d{4}$)/, "D");
  const named = proceduresNamed(text, 40).map((p) => ({ id: p.code, name: p.name }));
  if (!/^D\d{4}$/.test(code) || named.some((p) => p.id === code)) return named;
  return [{ id: code, name: procedureName(code) || "other dental service" }, ...named];
}

/** usePreview computes what is entered, once it has not changed for a moment. What was computed
 *  before stays meanwhile. */
function usePreview(body: Request, ready: boolean) {
  const { fetch, mode } = useClient();
  const text = JSON.stringify(body);
  const late = useLate(text, 250);
  return useQuery({
    queryKey: ["preview", mode, late],
    enabled: ready && late === text,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data, error } = await fetch.POST("/estimates", {
        params: { header: { "Idempotency-Key": newKey() } },
        body: { ...(JSON.parse(late) as Request), preview: true },
        signal,
      });
      if (error) throw error;
      return data;
    },
  });
}

function ServiceFields({
  of: s,
  at,
  result,
  put,
  remove,
}: {
  of: Service;
  at: string;
  result: EstimateLine | undefined;
  put: (change: Partial<Service>) => void;
  remove: () => void;
}) {
  const [more, setMore] = useState(false);
  const asks = asksOf(s.code);
  const plain = words(procedureName(s.code) || "other dental service");
  const same = result?.procedure_code === s.code ? result : undefined;
  const kept = (of: "fee" | "allowed") =>
    same?.[`${of}_from`].origin === "fee_schedule" ? same[of].most : undefined;
  const date = (label: string, key: keyof Service, path: string) => (
    <DateField
      label={label}
      optional
      path={`${at}.${path}`}
      value={String(s[key])}
      onChange={(v) => put({ [key]: v })}
    />
  );
  const money = (label: string, key: "fee" | "allowed", optional?: boolean) => (
    <MoneyField
      label={label}
      optional={optional ?? false}
      path={`${at}.${key}`}
      value={s[key]}
      placeholder={kept(key) ?? "0.00"}
      hint={kept(key) && !s[key] ? "From your fee schedule" : undefined}
      onChange={(v) => put({ [key]: v })}
      onBlur={() => put({ [key]: amount(s[key]) ?? "" })}
      autoComplete="off"
    />
  );
  return (
    <Group path={at} className="estimate-line" label={plain}>
      <div className="spread">
        <p>
          <span className="strong">{plain}</span> <span className="muted">{s.code}</span>
        </p>
        <span className="row">
          <button
            type="button"
            className="icon-button"
            aria-expanded={more}
            aria-label={`More of ${plain}`}
            title="Quantity, allowance and dates"
            onClick={() => setMore(!more)}
          >
            {more ? <ChevronUp size={16} aria-hidden /> : <ChevronDown size={16} aria-hidden />}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${plain}`}
            title="Remove"
            onClick={remove}
          >
            <X size={16} aria-hidden />
          </button>
        </span>
      </div>
      <div className="fields">
        {money("Fee", "fee")}
        {asks.tooth && (
          <TextField
            label="Tooth"
            path={`${at}.tooth`}
            value={s.tooth}
            onChange={(tooth) => put({ tooth })}
            autoComplete="off"
          />
        )}
        {asks.surfaces && (
          <TextField
            label="Surfaces"
            optional
            path={`${at}.surfaces`}
            value={s.surfaces}
            onChange={(v) => put({ surfaces: v.toUpperCase().replace(/[^MODBFLI]/g, "") })}
            placeholder="MOD"
            autoComplete="off"
          />
        )}
        {asks.area && (
          <SelectField
            label="Area"
            path={`${at}.oral_cavity`}
            value={s.area}
            onChange={(area) => put({ area })}
            options={areas}
          />
        )}
        {asks.lost && date("The tooth was lost on", "tooth_lost_on", "tooth_lost_on")}
        {asks.placed &&
          date("Replaces one placed on", "prior_placement_date", "prior_placement_date")}
      </div>
      {more && (
        <div className="fields">
          {money("The plan allows", "allowed", true)}
          <TextField
            label="Quantity"
            path={`${at}.quantity`}
            value={s.quantity}
            onChange={(quantity) => put({ quantity })}
            inputMode="numeric"
            maxLength={2}
          />
          {date("Service date", "service_date", "service_date")}
          {date("Last done", "last_service_date", "last_service_date")}
          <TextField
            label="Paid as another procedure"
            optional
            path={`${at}.alternate_procedure_code`}
            value={s.alternate}
            onChange={(alternate) => put({ alternate: alternate.toUpperCase() })}
            placeholder="D2791"
            maxLength={5}
          />
        </div>
      )}
    </Group>
  );
}
