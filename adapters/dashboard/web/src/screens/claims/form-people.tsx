// The people of a claim: the subscriber, the patient, and who holds other plans.
import { useState } from "react";
import { type Client, type Schemas, useClient } from "../../api/client";
import { Button } from "../../ui/button";
import { Check, DateField, Group, SelectField, TextField, useFaultsBelow } from "../../ui/form";
import { dateIn, day, dollars, name, useZone, words } from "../../ui/format";
import { PayerPicker } from "../../ui/payer-picker";
import { Picker } from "../../ui/picker";
import { useToast } from "../../ui/toast";
import {
  anOther,
  type Claim,
  type ClaimForm,
  copyOf,
  copyOfCheck,
  copyOfEstimate,
  type Other,
  type Patient,
  type Person,
  type Subscriber,
} from "./form-data";

const genders = [
  ["", "Not stated"],
  ["female", "Female"],
  ["male", "Male"],
  ["unknown", "Unknown"],
] as const;

/** PersonFields are the fields of a person. Extra ones come after the name. */
export function PersonFields<P extends Person>({
  label,
  value,
  set,
  path,
  children,
}: {
  label: string;
  value: P;
  set: (change: Partial<P>) => void;
  path: string;
  children?: React.ReactNode;
}) {
  const put = (change: Partial<Person>) => set(change as Partial<P>);
  const wrong = useFaultsBelow(
    ["middle_name", "suffix", "address.line2"].map((f) => `${path}.${f}`),
  );
  const rare =
    value.middle_name !== "" || value.suffix !== "" || value.line2 !== "" || wrong.length > 0;
  const [all, setAll] = useState(rare);
  return (
    <Group path={path} label={label} className="stack">
      <div className="fields">
        <TextField
          label="First name"
          path={`${path}.first_name`}
          value={value.first_name}
          onChange={(first_name) => put({ first_name })}
          maxLength={120}
          autoComplete="off"
          dir="auto"
        />
        {(all || rare) && (
          <TextField
            label="Middle name"
            optional
            path={`${path}.middle_name`}
            value={value.middle_name}
            onChange={(middle_name) => put({ middle_name })}
            maxLength={25}
            autoComplete="off"
            dir="auto"
          />
        )}
        <TextField
          label="Last name"
          path={`${path}.last_name`}
          value={value.last_name}
          onChange={(last_name) => put({ last_name })}
          maxLength={120}
          autoComplete="off"
          dir="auto"
        />
        {(all || rare) && (
          <TextField
            label="Suffix"
            optional
            path={`${path}.suffix`}
            value={value.suffix}
            onChange={(suffix) => put({ suffix })}
            maxLength={10}
            placeholder="JR"
            autoComplete="off"
          />
        )}
        <DateField
          label="Date of birth"
          path={`${path}.date_of_birth`}
          value={value.date_of_birth}
          onChange={(date_of_birth) => put({ date_of_birth })}
        />
        <SelectField
          label="Gender"
          path={`${path}.gender`}
          value={value.gender}
          onChange={(gender) => put({ gender })}
          options={genders}
        />
        {children}
      </div>
      <AddressFields value={value} set={put} path={`${path}.address`} second={all || rare} />
      {!(all || rare) && (
        <div>
          <button type="button" className="link-button small" onClick={() => setAll(true)}>
            Add a middle name, suffix or second address line
          </button>
        </div>
      )}
    </Group>
  );
}

type Address = { line1: string; line2: string; city: string; state: string; zip: string };

/** AddressFields are the fields of an address. */
export function AddressFields({
  value,
  set,
  path,
  second,
}: {
  value: Address;
  set: (change: Partial<Address>) => void;
  path: string;
  second?: boolean;
}) {
  return (
    <Group path={path} label="Address" className="fields address-fields">
      <TextField
        label="Street"
        path={`${path}.line1`}
        value={value.line1}
        onChange={(line1) => set({ line1 })}
        maxLength={200}
        autoComplete="off"
      />
      {second && (
        <TextField
          label="Second line"
          optional
          path={`${path}.line2`}
          value={value.line2}
          onChange={(line2) => set({ line2 })}
          maxLength={200}
          autoComplete="off"
        />
      )}
      <TextField
        label="City"
        path={`${path}.city`}
        value={value.city}
        onChange={(city) => set({ city })}
        maxLength={200}
        autoComplete="off"
      />
      <TextField
        label="State"
        path={`${path}.state`}
        value={value.state}
        onChange={(state) => set({ state: state.toUpperCase() })}
        autoComplete="off"
        className="short"
      />
      <TextField
        label="ZIP code"
        path={`${path}.zip`}
        value={value.zip}
        onChange={(zip) => set({ zip })}
        maxLength={10}
        inputMode="numeric"
        autoComplete="off"
      />
    </Group>
  );
}

/** SubscriberFields are the fields of a subscriber with a plan. */
export function SubscriberFields({
  value,
  set,
  path,
}: {
  value: Subscriber;
  set: (change: Partial<Subscriber>) => void;
  path: string;
}) {
  const { mode } = useClient();
  return (
    <PersonFields label="Subscriber" value={value} set={set} path={path}>
      <TextField
        label="Member ID"
        path={`${path}.member_id`}
        value={value.member_id}
        onChange={(member_id) => set({ member_id })}
        maxLength={80}
        autoComplete="off"
        spellCheck={false}
        hint={
          mode === "test" ? (
            <>
              In test mode, end it in <span className="nowrap">-PAID-ERA</span> or{" "}
              <span className="nowrap">-DENIED</span>.
            </>
          ) : undefined
        }
      />
      <TextField
        label="Group number"
        optional
        path={`${path}.group_number group_number`}
        value={value.group_number}
        onChange={(group_number) => set({ group_number })}
        maxLength={80}
        autoComplete="off"
      />
      <TextField
        label="Group name"
        optional
        path={`${path}.group_name group_name`}
        value={value.group_name}
        onChange={(group_name) => set({ group_name })}
        maxLength={60}
        autoComplete="off"
      />
    </PersonFields>
  );
}

export const relationships = [
  ["", "Choose"],
  ["spouse", "Spouse"],
  ["child", "Child"],
  ["other", "Other"],
] as const;

/** People are the patient and the subscriber of a claim. */
export function People({
  form,
  set,
}: {
  form: ClaimForm;
  set: (change: Partial<ClaimForm>) => void;
}) {
  const subscriber = (change: Partial<Subscriber>) =>
    set({ subscriber: { ...form.subscriber, ...change } });
  const patient = (change: Partial<Patient>) => set({ patient: { ...form.patient, ...change } });
  return (
    <>
      <h3>Subscriber</h3>
      <SubscriberFields value={form.subscriber} set={subscriber} path="subscriber" />
      <Check
        label="The patient is someone else on this plan"
        path={form.dependent ? undefined : "patient"}
        checked={form.dependent}
        onChange={(dependent) => set({ dependent })}
      />
      {form.dependent && (
        <div className="stack sub-form">
          <h3>Patient</h3>
          <PersonFields label="Patient" value={form.patient} set={patient} path="patient">
            <SelectField
              label="Relationship to subscriber"
              path="patient.relationship"
              value={form.patient.relationship}
              onChange={(relationship) => patient({ relationship })}
              options={relationships}
            />
          </PersonFields>
          <p className="hint">Leave the address empty if it is the subscriber's.</p>
        </div>
      )}
    </>
  );
}

/** earlier returns what the latest claim of a patient has of people, plans and places. */
export async function earlier(
  client: Client,
  patientID: string,
): Promise<{ claim: Claim; copy: Partial<ClaimForm> } | null> {
  const list = await client.fetch.GET("/claims", {
    params: { query: { patient_id: patientID, limit: 20 } },
  });
  if (list.error) throw list.error;
  const head = list.data.data.find((c) => c.coverage === "primary") ?? list.data.data[0];
  if (!head) return null;
  const whole = await client.fetch.GET("/claims/{id}", { params: { path: { id: head.id } } });
  if (whole.error) throw whole.error;
  return { claim: whole.data, copy: copyOf(whole.data) };
}

/** checked returns what an eligibility check has of people, the plan and the office, and the rest from the latest claim
 *  of its patient. */
export async function checked(client: Client, id: string): Promise<Partial<ClaimForm>> {
  const check = await client.fetch.GET("/eligibility/{id}", { params: { path: { id } } });
  if (check.error) throw check.error;
  const { patient_id } = check.data;
  const before = patient_id ? await earlier(client, patient_id) : null;
  return copyOfCheck(check.data, before?.copy);
}

/** estimated returns what a new claim takes from an estimate, and from the check that it is made from. */
export async function estimated(client: Client, id: string): Promise<Partial<ClaimForm>> {
  const estimate = await client.fetch.GET("/estimates/{id}", { params: { path: { id } } });
  if (estimate.error) throw estimate.error;
  const copy = await checked(client, estimate.data.eligibility_id);
  return { ...copy, ...copyOfEstimate(estimate.data) };
}

/** FindPatient fills in the form from an earlier claim of a patient. */
export function FindPatient({
  form,
  set,
}: {
  form: ClaimForm;
  set: (change: Partial<ClaimForm>) => void;
}) {
  const client = useClient();
  const toast = useToast();
  const zone = useZone();
  const [chosen, setChosen] = useState<Schemas["Patient"] | null>(null);
  const [said, setSaid] = useState("");
  return (
    <Picker
      label="Find a patient"
      kind="patients"
      min={2}
      placeholder="Name, date of birth or member ID"
      nothing="No patient with a claim has this name. Enter the patient below."
      hint={
        <span role="status">
          {said || "Fills in the people and the plans of the patient's latest claim."}
        </span>
      }
      value={chosen}
      text={(p) => name(p)}
      about={(p) => `born ${day(p.date_of_birth)}`}
      find={async (query, signal) => {
        const { data, error } = await client.fetch.POST("/patients/search", {
          body: { query, limit: 20 },
          signal,
        });
        if (error) throw error;
        return data.data;
      }}
      onChange={(p) => {
        setChosen(p);
        if (!p) return;
        earlier(client, p.id)
          .then((found) => {
            set(
              found?.copy ?? {
                dependent: false,
                subscriber: {
                  ...form.subscriber,
                  first_name: p.first_name,
                  last_name: p.last_name,
                  date_of_birth: p.date_of_birth,
                },
              },
            );
            setSaid(filledIn(found?.claim, zone));
          })
          .catch((e: unknown) => toast.refused(e));
      }}
    />
  );
}

/** filledIn says what was filled in. */
function filledIn(from: Claim | undefined, zone: string): string {
  if (!from) return "Filled in the name. This patient has no other claim.";
  const date = from.service_dates.first ?? dateIn(zone, new Date(from.created_at));
  return `Filled in from the claim of ${day(date)}. Check that it is still right.`;
}

const sequences = [
  ["primary", "Primary"],
  ["secondary", "Secondary"],
  ["tertiary", "Tertiary"],
] as const;

/** OtherPlans are the patient's other plans. */
export function OtherPlans({
  form,
  set,
}: {
  form: ClaimForm;
  set: (change: Partial<ClaimForm>) => void;
}) {
  const put = (key: number, change: Partial<Other>) =>
    set({ other: form.other.map((o) => (o.key === key ? { ...o, ...change } : o)) });
  const free = sequences
    .map(([s]) => s)
    .find((s) => s !== form.coverage && !form.other.some((o) => o.sequence === s));
  return (
    <>
      {form.other.map((o, i) => {
        const path = `other_coverage.${i}`;
        return (
          <Group
            key={o.key}
            path={`${path} ${path}.filing_indicator`}
            className="stack sub-form"
            label={`Other plan ${i + 1}`}
          >
            <div className="spread">
              <h3>{words(o.sequence || "Other")} plan</h3>
              <Button
                look="quiet"
                onClick={() => set({ other: form.other.filter((x) => x.key !== o.key) })}
              >
                Remove this plan
              </Button>
            </div>
            <div className="fields">
              <PayerPicker
                label="Payer"
                accepts="claims"
                path={`${path}.payer_id${o.payer ? ` ${path}.payer_name` : ""}`}
                value={o.payer}
                onChange={(payer) => put(o.key, { payer, payer_id: "", payer_name: "" })}
                hint={
                  o.payer
                    ? undefined
                    : "Not in the list? Enter its name and its payer ID in the next fields."
                }
              />
              {!o.payer && (
                <TextField
                  label="Payer's name"
                  optional
                  path={`${path}.payer_name`}
                  value={o.payer_name}
                  onChange={(payer_name) => put(o.key, { payer_name })}
                  maxLength={60}
                />
              )}
              {!o.payer && (
                <TextField
                  label="Payer's ID"
                  optional
                  path={`${path}.payer_id`}
                  value={o.payer_id}
                  onChange={(payer_id) => put(o.key, { payer_id })}
                  maxLength={80}
                  hint="As the member card shows it."
                  autoComplete="off"
                />
              )}
              <SelectField
                label="Its place"
                path={`${path}.sequence`}
                value={o.sequence}
                onChange={(sequence) => put(o.key, { sequence })}
                options={sequences}
              />
              <SelectField
                label="Patient's relationship"
                path={`${path}.relationship`}
                value={o.relationship}
                onChange={(relationship) => put(o.key, { relationship })}
                options={[["self", "Self"], ...relationships.slice(1)]}
              />
            </div>
            <PersonFields
              label={`Subscriber of other plan ${i + 1}`}
              value={o.subscriber}
              set={(change) => put(o.key, { subscriber: { ...o.subscriber, ...change } })}
              path={`${path}.subscriber`}
            >
              <TextField
                label="Member ID"
                path={`${path}.subscriber.member_id`}
                value={o.subscriber.member_id}
                onChange={(member_id) => put(o.key, { subscriber: { ...o.subscriber, member_id } })}
                maxLength={80}
                autoComplete="off"
              />
              <TextField
                label="Group number"
                optional
                path={`${path}.group_number`}
                value={o.group_number}
                onChange={(group_number) => put(o.key, { group_number })}
                maxLength={50}
              />
              <TextField
                label="Group name"
                optional
                path={`${path}.group_name`}
                value={o.group_name}
                onChange={(group_name) => put(o.key, { group_name })}
                maxLength={60}
              />
            </PersonFields>
            {o.adjudication && (
              <Group whole path={`${path}.adjudication`} label="Its decision">
                <p>
                  This payer paid <strong>{dollars(o.adjudication.paid)}</strong>
                  {o.adjudication.payment_date && ` on ${day(o.adjudication.payment_date)}`}. Molar
                  sends its decision with the claim.
                </p>
              </Group>
            )}
          </Group>
        );
      })}
      {form.other.length < 2 && free && (
        <div>
          <Button onClick={() => set({ other: [...form.other, anOther(free)] })}>
            {form.other.length === 0 ? "Add another plan" : "Add a third plan"}
          </Button>
        </div>
      )}
    </>
  );
}
