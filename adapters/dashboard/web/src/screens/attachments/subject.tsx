// The patient and the plan of an attachment without a claim.

import { type Schemas, useClient } from "../../api/client";
import { DateField, Group, SelectField, TextField } from "../../ui/form";

/** Subject is what the form holds. */
export type Subject = {
  office: string;
  first: string;
  last: string;
  born: string;
  relationship: string;
  holderFirst: string;
  holderLast: string;
  member: string;
  from: string;
  to: string;
};

export const blank: Subject = {
  office: "",
  first: "",
  last: "",
  born: "",
  relationship: "self",
  holderFirst: "",
  holderLast: "",
  member: "",
  from: "",
  to: "",
};

/** useOffices returns the offices that can send. */
export function useOffices() {
  const { api } = useClient();
  return api.useQuery("get", "/offices", { params: { query: { limit: 100 } } }).data?.data ?? [];
}

/** subjectBody returns a subject as the API reads it. */
export function subjectBody(
  s: Subject,
  offices: readonly { id: string }[],
): Pick<Schemas["AttachmentRequest"], "office_id" | "patient" | "subscriber" | "service_dates"> {
  const self = s.relationship === "self";
  return {
    office_id: s.office || (offices.length === 1 ? (offices[0]?.id ?? null) : null),
    patient: { first_name: s.first.trim(), last_name: s.last.trim(), date_of_birth: s.born },
    subscriber: {
      first_name: (self ? s.first : s.holderFirst).trim(),
      last_name: (self ? s.last : s.holderLast).trim(),
      member_id: s.member.trim(),
      relationship: s.relationship as "self",
    },
    service_dates: { from: s.from, to: s.to || s.from },
  };
}

/** SubjectFields are the fields of a subject. */
export function SubjectFields({
  value: s,
  onChange,
}: {
  value: Subject;
  onChange: (s: Subject) => void;
}) {
  const offices = useOffices();
  const set = (key: keyof Subject) => (v: string) => onChange({ ...s, [key]: v });
  return (
    <>
      <fieldset>
        <legend>Patient</legend>
        <Group path="patient" className="fields">
          <TextField
            label="First name"
            path="patient.first_name"
            value={s.first}
            onChange={set("first")}
            autoComplete="off"
            required
          />
          <TextField
            label="Last name"
            path="patient.last_name"
            value={s.last}
            onChange={set("last")}
            autoComplete="off"
            required
          />
          <DateField
            label="Date of birth"
            path="patient.date_of_birth"
            value={s.born}
            onChange={set("born")}
            required
          />
        </Group>
      </fieldset>
      <fieldset>
        <legend>Plan</legend>
        <Group path="subscriber" className="fields">
          <TextField
            label="Member ID"
            path="subscriber.member_id"
            value={s.member}
            onChange={set("member")}
            autoComplete="off"
            required
          />
          <SelectField
            label="The patient is the subscriber's"
            path="subscriber.relationship"
            value={s.relationship}
            onChange={set("relationship")}
            options={[
              ["self", "Self: the patient holds the plan"],
              ["spouse", "Spouse"],
              ["child", "Child"],
              ["other", "Other dependent"],
            ]}
          />
          {s.relationship !== "self" && (
            <TextField
              label="Subscriber's first name"
              path="subscriber.first_name"
              value={s.holderFirst}
              onChange={set("holderFirst")}
              autoComplete="off"
              required
            />
          )}
          {s.relationship !== "self" && (
            <TextField
              label="Subscriber's last name"
              path="subscriber.last_name"
              value={s.holderLast}
              onChange={set("holderLast")}
              autoComplete="off"
              required
            />
          )}
        </Group>
      </fieldset>
      <fieldset>
        <legend>Service</legend>
        <Group path="service_dates" className="fields">
          <DateField
            label="First day of service"
            path="service_dates.from"
            value={s.from}
            onChange={set("from")}
            required
          />
          <DateField
            label="Last day of service"
            path="service_dates.to"
            value={s.to}
            onChange={set("to")}
            hint="Leave it empty for one day."
          />
          {offices.length !== 1 && (
            <SelectField
              label="Office"
              path="office_id"
              value={s.office}
              onChange={set("office")}
              options={[["", "Choose an office"], ...offices.map((o) => [o.id, o.name] as const)]}
              required
            />
          )}
        </Group>
      </fieldset>
    </>
  );
}
