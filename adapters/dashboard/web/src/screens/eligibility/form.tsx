// Asking a payer about a patient, and asking again after a rejection.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type APIError, type Client, isAPIError, type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { useTyping } from "../../ui/dialog";
import {
  Check,
  DateField,
  type Fault,
  FaultsOf,
  Group,
  SelectField,
  TextField,
} from "../../ui/form";
import { day, name, words } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { attend, Page, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { Picker } from "../../ui/picker";
import { procedureName, proceduresNamed } from "../../ui/procedures";
import { useRecent } from "../../ui/recent";
import { useToast } from "../../ui/toast";
import { Faulty } from "../claims/form-faults";
import { earlier } from "../claims/form-people";
import type { CheckResource } from "./list";

type Request = Schemas["EligibilityRequest"];

type Texts<K extends string> = { readonly [P in K]?: string | null };

/** Begin is what a form begins with: an earlier check, or what is known of a patient. */
type Begin = {
  id?: string;
  office_id: string;
  payer: PickedPayer | null;
  request: {
    subscriber: Texts<keyof typeof aSubscriber> | null;
    patient: Texts<keyof typeof aDependent> | null;
    service_date?: string;
    procedure_codes?: readonly string[];
  };
  rejection?: CheckResource["rejection"];
  faults?: readonly Fault[];
};

/** Asks sends what a form has in another way than as a check of its own. */
type Asks = (
  fetch: Client["fetch"],
  key: { "Idempotency-Key": string },
  body: Request,
) => Promise<{ data?: unknown; error?: unknown }>;

const aPerson = { first_name: "", last_name: "", date_of_birth: "" };
const aSubscriber = { ...aPerson, member_id: "", group_number: "", gender: "" };
const aDependent = { ...aPerson, relationship: "child", gender: "" };

/** genders are what a person may choose; the empty one is sent as null. */
const genders = [
  ["", "Not known"],
  ["female", "Female"],
  ["male", "Male"],
] as const;
type Gender = "female" | "male" | null;

/** filled returns texts with what is known of them. */
function filled<K extends string>(
  empty: Record<K, string>,
  from?: Texts<K> | null,
): Record<K, string> {
  const out = { ...empty };
  for (const name of Object.keys(empty) as K[]) out[name] = from?.[name] ?? empty[name];
  return out;
}

/** NewCheck is the screen that asks a payer: with an empty form, with an earlier check, or about a patient. */
export function NewCheck() {
  const client = useClient();
  const [{ again, patient_id: patientID }, set] = useFilters("/eligibility/new");
  const [chosen, choose] = useState(""); // the patient who was found here
  const toast = useToast();
  const from = again ?? patientID;
  const earlier = useQuery({
    queryKey: ["begin a check", again, patientID],
    enabled: from !== undefined,
    gcTime: 0, // the next form begins with what is there then
    staleTime: "static",
    queryFn: () =>
      (again ? earlierCheck(client, again) : ofPatient(client, patientID ?? "")).catch(
        (e: unknown) => {
          toast.refused(e);
          return null;
        },
      ),
  });
  return (
    <Page title="New check" above={<Go to="/eligibility">Eligibility</Go>}>
      <Section>
        {again === undefined && (
          <div className="fields fields-wide">
            <FindPatient
              found={(patient_id) => {
                choose(patient_id);
                set({ patient_id });
              }}
            />
          </div>
        )}
        {from && earlier.isPending ? (
          <p role="status" className="muted">
            Loading…
          </p>
        ) : (
          <CheckForm
            key={from}
            from={earlier.data ?? undefined}
            whole={earlier.data?.payer != null && chosen === patientID}
          />
        )}
      </Section>
    </Page>
  );
}

async function earlierCheck({ fetch }: Client, id: string): Promise<Begin> {
  const { data, error } = await fetch.GET("/eligibility/{id}", { params: { path: { id } } });
  if (error) throw error;
  return data;
}

/** ofPatient returns what the last check of a patient asked, else what the last claim or the patient has. */
async function ofPatient(client: Client, id: string): Promise<Begin> {
  const checks = await client.fetch.GET("/eligibility", {
    params: { query: { patient_id: id, limit: 1 } },
  });
  if (checks.error) throw checks.error;
  const [last] = checks.data.data;
  if (last) {
    const { office_id, payer, request } = last;
    return {
      office_id,
      payer,
      request: { subscriber: request.subscriber, patient: request.patient },
    };
  }
  const found = await earlier(client, id);
  if (found) {
    const { office, payer, subscriber, patient } = found.claim;
    return { office_id: office.id, payer, request: { subscriber, patient } };
  }
  const person = await client.fetch.GET("/patients/{id}", { params: { path: { id } } });
  if (person.error) throw person.error;
  return { office_id: "", payer: null, request: { subscriber: person.data, patient: null } };
}

/** CheckForm asks a payer. From an earlier check it takes the request; of a rejected one it corrects it,
 *  with what the payer said beside the fields. With asks it is part of another screen, which
 *  goes on when it is done. */
export function CheckForm({
  from,
  corrects,
  whole,
  asks,
  done,
}: {
  from?: Begin;
  corrects?: boolean;
  whole?: boolean; // nothing is left to enter: Enter asks the payer
  asks?: Asks;
  done?: () => void;
}) {
  const { api } = useClient();
  const go = useGo();
  const recent = useRecent();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const asked = from?.request;
  const [office, setOffice] = useState(from?.office_id ?? "");
  const [payer, setPayer] = useState<PickedPayer | null>(from?.payer ?? null);
  const [subscriber, setSubscriber] = useState(filled(aSubscriber, asked?.subscriber));
  const [dependent, setDependent] = useState(!!asked?.patient);
  const [patient, setPatient] = useState(filled(aDependent, asked?.patient));
  const [date, setDate] = useState(asked?.service_date ?? "");
  const [codes, setCodes] = useState(asked?.procedure_codes?.join(", ") ?? "");
  const [fresh, setFresh] = useState(false);
  const [faults, setFaults] = useState<readonly Fault[]>(
    from?.faults ?? (corrects ? (from?.rejection?.reasons ?? []) : []),
  );
  const [refusal, setRefusal] = useState<APIError | null>(null);
  const list = offices.data?.data.filter((o) => !o.retired) ?? [];
  const usual = list.find((o) => o.id === recent.office)?.id ?? list[0]?.id ?? "";

  const leaving = useTyping();
  const send = useSend(
    async (
      fetch,
      key,
      body: Request,
    ): Promise<{ data?: CheckResource | null; error?: unknown }> => {
      if (asks) return { data: null, error: (await asks(fetch, key, body)).error };
      return fetch.POST("/eligibility", {
        params: { header: { ...key, ...(fresh && { "Cache-Control": "no-cache" as const }) } },
        body,
      });
    },
    {
      done: (check) => {
        leaving.mayLeave();
        recent.remember(payer, office || usual);
        if (check) go(`/eligibility/${check.id}`, { arrives: true });
        done?.();
      },
      ...(asks && { says: "The payer is asked again." }),
      refused: (e) => {
        if (!isAPIError(e)) return false;
        // The check exists: its screen says what the payer said.
        if (e.check) leaving.mayLeave();
        if (e.check) recent.remember(payer, e.check.office_id);
        if (e.check) go(`/eligibility/${e.check.id}`, { arrives: true });
        setFaults(e.errors.map((f) => naming(ofItem(f), procedures)));
        setRefusal(e.check ? null : e);
        return true;
      },
    },
  );

  const procedures = codesOf(codes);
  const body = {
    office_id: office || usual,
    payer_id: payer?.id ?? "",
    subscriber: {
      ...subscriber,
      group_number: subscriber.group_number || null,
      gender: (subscriber.gender || null) as Gender,
    },
    patient: dependent
      ? {
          ...patient,
          relationship: patient.relationship as "child",
          gender: (patient.gender || null) as Gender,
        }
      : null,
    service_date: date || null,
    procedure_codes: procedures.length > 0 ? procedures : null,
    ...(corrects && from && { parent_id: from.id }),
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setFaults([]);
    setRefusal(null);
    send.go(body);
  };

  const action = corrects || asks ? "Send again" : "Check coverage";
  const text = (label: string, key: keyof typeof subscriber, more: object = {}) => (
    <TextField
      label={label}
      path={`subscriber.${key}`}
      value={subscriber[key]}
      onChange={(v) => setSubscriber({ ...subscriber, [key]: v })}
      autoComplete="off"
      {...more}
    />
  );
  const personal = (label: string, key: "first_name" | "last_name") => (
    <TextField
      label={label}
      path={`patient.${key}`}
      value={patient[key]}
      onChange={(v) => setPatient({ ...patient, [key]: v })}
      autoComplete="off"
      required
    />
  );
  return (
    <FaultsOf list={faults} request={body}>
      <form className="stack" onSubmit={submit} noValidate {...leaving.input}>
        {refusal && (
          <Faulty key={refusal.request_id} ref={attend} given={faults.length} refused={refusal} />
        )}
        <div className="fields fields-wide">
          <PayerPicker
            label="Payer"
            path="payer_id"
            accepts="eligibility"
            value={payer}
            onChange={setPayer}
          />
          {(list.length > 1 || faults.some((f) => f.field === "office_id")) && (
            <SelectField
              label="Office"
              path="office_id"
              value={office || usual}
              onChange={setOffice}
              options={list.map((o) => [o.id, o.name] as const)}
            />
          )}
        </div>
        <fieldset>
          <legend>{dependent ? "Subscriber" : "Patient"}</legend>
          <Group path="subscriber" className="fields">
            {text("First name", "first_name", { required: true })}
            {text("Last name", "last_name", { required: true })}
            {text("Date of birth", "date_of_birth", { type: "date", required: true })}
            {text("Member ID", "member_id", { required: true })}
            {text("Group number", "group_number", { optional: true })}
            <SelectField
              label="Gender"
              path="subscriber.gender"
              value={subscriber.gender}
              onChange={(v) => setSubscriber({ ...subscriber, gender: v })}
              options={genders}
            />
          </Group>
        </fieldset>
        <Check
          label="The patient is a dependent of the subscriber"
          path={dependent ? undefined : "patient"}
          checked={dependent}
          onChange={setDependent}
        />
        {dependent && (
          <fieldset>
            <legend>Patient</legend>
            <Group path="patient" className="fields">
              {personal("Patient's first name", "first_name")}
              {personal("Patient's last name", "last_name")}
              <DateField
                label="Patient's date of birth"
                path="patient.date_of_birth"
                value={patient.date_of_birth}
                onChange={(v) => setPatient({ ...patient, date_of_birth: v })}
                required
              />
              <SelectField
                label="Relationship to the subscriber"
                path="patient.relationship"
                value={patient.relationship}
                onChange={(v) => setPatient({ ...patient, relationship: v })}
                options={[
                  ["child", "Child"],
                  ["spouse", "Spouse"],
                  ["other", "Other"],
                ]}
              />
              <SelectField
                label="Patient's gender"
                path="patient.gender"
                value={patient.gender}
                onChange={(v) => setPatient({ ...patient, gender: v })}
                options={genders}
              />
            </Group>
          </fieldset>
        )}
        <div className="fields">
          <DateField
            label="Service date"
            optional
            path="service_date"
            value={date}
            onChange={setDate}
            hint="Today, if you leave it empty."
          />
          <Procedures value={codes} onChange={setCodes} />
        </div>
        {from?.id && !corrects && (
          <Check
            label="Ask the payer again, even if a response of the last 24 hours is saved"
            checked={fresh}
            onChange={setFresh}
          />
        )}
        <div className="row">
          <Button
            type="submit"
            look="primary"
            busy={send.isPending}
            ref={whole ? attend : undefined}
          >
            {send.isPending ? "Asking the payer…" : action}
          </Button>
          {send.isPending && (
            <span className="muted" role="status">
              This may take up to 25 seconds.
            </span>
          )}
        </div>
      </form>
      {leaving.dialog}
    </FaultsOf>
  );
}

/** ofItem returns a fault of the one item of a list as that of its check. */
const ofItem = <F extends Fault>(f: F): F => ({
  ...f,
  field: f.field?.replace(/^items\.0\./, "") ?? null,
});

/** Procedures is a field for codes, beside one that finds them by name. */
function Procedures({ value, onChange }: { value: string; onChange: (codes: string) => void }) {
  const named = codesOf(value)
    .map((code) => procedureName(code))
    .filter(Boolean);
  return (
    <>
      <Picker
        label="Find a procedure"
        kind="procedures"
        placeholder="cleaning, crown"
        nothing="No procedure has such a name. Enter its code in the next field."
        min={2}
        value={null as { id: string; name: string } | null}
        text={(p) => words(p.name)}
        about={(p) => p.id}
        find={async (text) => proceduresNamed(text).map(({ code, name }) => ({ id: code, name }))}
        onChange={(p) => p && onChange([...codesOf(value), p.id].join(", "))}
      />
      <TextField
        label="Procedures"
        optional
        path="procedure_codes"
        value={value}
        onChange={onChange}
        placeholder="D1110, D2740"
        hint={
          named.length > 0
            ? words(named.join(", "))
            : "Up to 10 CDT codes. Leave it empty for all that the payer lists."
        }
      />
    </>
  );
}

/** codesOf returns the codes of a text, such as "d1110, D2740". */
const codesOf = (text: string): string[] =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter(Boolean);

/** FindPatient fills in a check of a patient whom the practice knows. */
function FindPatient({ found }: { found: (patientID: string) => void }) {
  const { fetch } = useClient();
  return (
    <Picker
      label="Find a patient"
      kind="patients"
      min={2}
      placeholder="Name, date of birth or member ID"
      nothing="No patient has this name. Enter the patient below."
      hint="Fills in what was asked about the patient last."
      value={null as Schemas["Patient"] | null}
      text={(p) => name(p)}
      about={(p) => `born ${day(p.date_of_birth)}`}
      find={async (query, signal) => {
        const { data, error } = await fetch.POST("/patients/search", {
          body: { query, limit: 20 },
          signal,
        });
        if (error) throw error;
        return data.data;
      }}
      onChange={(p) => p && found(p.id)}
    />
  );
}

/** naming begins the fault of a procedure with its code, because all of them are in one field. */
function naming(fault: Fault, procedures: readonly string[]): Fault {
  const at = /^procedure_codes\.(\d+)$/.exec(fault.field ?? "");
  const code = at && procedures[Number(at[1])];
  return code ? { ...fault, message: `${code}: ${fault.message}` } : fault;
}
