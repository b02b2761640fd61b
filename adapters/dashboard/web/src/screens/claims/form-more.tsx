// The parts of a claim that few claims need. Each is folded until it has something.
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  AreaField,
  Check,
  DateField,
  Group,
  MoneyField,
  SelectField,
  TextField,
  useFaultsBelow,
} from "../../ui/form";
import { Odontogram } from "../../ui/odontogram";
import { count } from "../../ui/plural";
import { inOrder } from "../../ui/teeth";
import { amount, type ClaimForm, teethOf } from "./form-data";
import { AddressFields, OtherPlans } from "./form-people";

type Props = { form: ClaimForm; set: (change: Partial<ClaimForm>) => void; sent: boolean };

/** Part is a part that opens. It opens when a field in it is wrong. With group, its path is that of an
 *  object or a list, whose fields are in it. */
function Part({
  title,
  about,
  paths,
  group,
  children,
}: {
  title: string;
  about: string;
  paths: readonly string[];
  group?: boolean;
  children: ReactNode;
}) {
  const wrong = useFaultsBelow(paths).length > 0;
  const [was, setWas] = useState(wrong);
  const [open, setOpen] = useState(wrong); // a part whose fault is gone stays open: a person types in it
  if (wrong !== was) {
    setWas(wrong);
    setOpen(open || wrong);
  }
  return (
    <details className="part" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <ChevronRight size={16} aria-hidden className="part-mark" />
        <span className="part-title">{title}</span>
        <span className="muted part-about" aria-hidden>
          {about}
        </span>
      </summary>
      {group ? (
        <Group path={paths.join(" ")} label={title} className="stack part-body">
          {children}
        </Group>
      ) : (
        <div className="stack part-body">{children}</div>
      )}
    </details>
  );
}

/** MoreParts are the folded parts of the form. */
export function MoreParts({ form: f, set, sent }: Props) {
  const missing = teethOf(f.missing_teeth);
  const extract = teethOf(f.teeth_to_extract);
  const stateWrong = useFaultsBelow(["accident.state"]).length > 0;
  const has = (...values: string[]) => values.filter((v) => v.trim() !== "").length;
  const numbers = has(
    f.prior_authorization,
    f.predetermination_number,
    f.referral_number,
    f.tenant_reference,
  );
  return (
    <section className="card card-flush" aria-label="Less often needed">
      <Part
        title="Other plans"
        about={
          f.other.length === 0
            ? "None"
            : f.other
                .map((o) => `${o.payer?.name || o.payer_name || "a payer"} is ${o.sequence}`)
                .join(", ")
        }
        group
        paths={["other_coverage"]}
      >
        <OtherPlans form={f} set={set} />
      </Part>
      <Part
        title="Missing teeth"
        about={
          [
            missing.length > 0 && `${missing.join(", ")} missing`,
            extract.length > 0 && `${extract.join(", ")} to extract`,
          ]
            .filter(Boolean)
            .join("; ") || "None stated"
        }
        paths={["missing_teeth", "teeth_to_extract"]}
      >
        <div className="fields">
          <TextField
            label="Missing teeth"
            path="missing_teeth"
            value={f.missing_teeth}
            onChange={(missing_teeth) => set({ missing_teeth })}
            hint="Such as 1, 16, 17-19"
          />
          <TextField
            label="Teeth to extract"
            path="teeth_to_extract"
            value={f.teeth_to_extract}
            onChange={(teeth_to_extract) => set({ teeth_to_extract })}
          />
        </div>
        <Odontogram
          label="Missing teeth"
          several
          teeth={missing}
          missing={missing}
          onChange={(c) => set({ missing_teeth: inOrder(c.teeth).join(", ") })}
        />
      </Part>
      <Part title="Note to the payer" about={f.note ? f.note : "None"} paths={["note"]}>
        <AreaField
          label="Note"
          path="note"
          value={f.note}
          onChange={(note) => set({ note })}
          maxLength={400}
          hint={`${400 - f.note.length} of 400 characters are left.`}
          dir="auto"
        />
      </Part>
      <Part title="Diagnosis codes" about={f.diagnosis_codes || "None"} paths={["diagnosis_codes"]}>
        <div className="fields">
          <TextField
            label="Diagnosis codes"
            path="diagnosis_codes"
            value={f.diagnosis_codes}
            onChange={(diagnosis_codes) => set({ diagnosis_codes })}
            placeholder="K02.52, K04.7"
            hint="At most four ICD-10 codes, the principal one first. Each line points to them."
          />
        </div>
      </Part>
      <Part
        title="Numbers"
        about={
          numbers > 0
            ? count(numbers, "number")
            : "Authorization, predetermination, referral, your own"
        }
        paths={[
          "prior_authorization",
          "predetermination_number",
          "referral_number",
          "patient_control_number",
          "tenant_reference",
          "place_of_service",
        ]}
      >
        <div className="fields">
          <TextField
            label="Prior authorization"
            path="prior_authorization"
            value={f.prior_authorization}
            onChange={(prior_authorization) => set({ prior_authorization })}
            maxLength={50}
          />
          <TextField
            label="Predetermination number"
            path="predetermination_number"
            value={f.predetermination_number}
            onChange={(predetermination_number) => set({ predetermination_number })}
            maxLength={50}
          />
          <TextField
            label="Referral number"
            path="referral_number"
            value={f.referral_number}
            onChange={(referral_number) => set({ referral_number })}
            maxLength={50}
          />
          <TextField
            label="Control number"
            path="patient_control_number"
            value={f.patient_control_number}
            onChange={(patient_control_number) => set({ patient_control_number })}
            maxLength={20}
            disabled={sent}
            hint={
              sent
                ? "The payer knows the claim by this number."
                : "Leave it empty, and Molar makes one."
            }
          />
          <TextField
            label="Your reference"
            path="tenant_reference"
            value={f.tenant_reference}
            onChange={(tenant_reference) => set({ tenant_reference })}
            maxLength={255}
            hint="It stays in Molar."
          />
          <TextField
            label="Place of service"
            path="place_of_service"
            value={f.place_of_service}
            onChange={(place_of_service) => set({ place_of_service })}
            maxLength={2}
            placeholder="11"
            hint="11 is an office."
          />
        </div>
      </Part>
      <Part
        title="Accident"
        about={f.accident.type ? `${f.accident.type} accident` : "None"}
        group
        paths={["accident"]}
      >
        <div className="fields">
          <SelectField
            label="Kind of accident"
            path="accident.type"
            value={f.accident.type}
            onChange={(type) => set({ accident: { ...f.accident, type } })}
            options={[
              ["", "None"],
              ["auto", "Auto"],
              ["employment", "At work"],
              ["other", "Other"],
            ]}
          />
          <DateField
            label="Date of the accident"
            path="accident.date"
            value={f.accident.date}
            onChange={(date) => set({ accident: { ...f.accident, date } })}
          />
          {(f.accident.type === "auto" || f.accident.state || stateWrong) && (
            <TextField
              label="State of the accident"
              path="accident.state"
              value={f.accident.state}
              onChange={(state) => set({ accident: { ...f.accident, state: state.toUpperCase() } })}
              maxLength={2}
            />
          )}
        </div>
      </Part>
      <Part
        title="Orthodontics"
        about={f.orthodontics.total_months ? `${f.orthodontics.total_months} months` : "None"}
        group
        paths={["orthodontics"]}
      >
        <div className="fields">
          <TextField
            label="Months of treatment"
            path="orthodontics.total_months"
            value={f.orthodontics.total_months}
            onChange={(total_months) => set({ orthodontics: { ...f.orthodontics, total_months } })}
            inputMode="numeric"
            maxLength={2}
          />
          <TextField
            label="Months remaining"
            path="orthodontics.months_remaining"
            value={f.orthodontics.months_remaining}
            onChange={(months_remaining) =>
              set({ orthodontics: { ...f.orthodontics, months_remaining } })
            }
            inputMode="numeric"
            maxLength={2}
          />
          <DateField
            label="Appliance placed on"
            path="orthodontics.appliance_date"
            value={f.orthodontics.appliance_date}
            onChange={(appliance_date) =>
              set({ orthodontics: { ...f.orthodontics, appliance_date } })
            }
          />
        </div>
      </Part>
      <Part
        title="Referral"
        about={
          f.referring.last_name ? `${f.referring.first_name} ${f.referring.last_name}` : "None"
        }
        group
        paths={["referring_provider"]}
      >
        <div className="fields">
          <TextField
            label="Referring provider's first name"
            path="referring_provider.first_name"
            value={f.referring.first_name}
            onChange={(first_name) => set({ referring: { ...f.referring, first_name } })}
            maxLength={35}
          />
          <TextField
            label="Referring provider's last name"
            path="referring_provider.last_name"
            value={f.referring.last_name}
            onChange={(last_name) => set({ referring: { ...f.referring, last_name } })}
            maxLength={60}
          />
          <TextField
            label="Referring provider's NPI"
            path="referring_provider.npi"
            value={f.referring.npi}
            onChange={(npi) => set({ referring: { ...f.referring, npi } })}
            inputMode="numeric"
            maxLength={10}
          />
        </div>
      </Part>
      <Part title="Facility" about={f.facility.name || "The office"} group paths={["facility"]}>
        <div className="fields">
          <TextField
            label="Name of the facility"
            path="facility.name"
            value={f.facility.name}
            onChange={(name) => set({ facility: { ...f.facility, name } })}
            maxLength={60}
          />
          <TextField
            label="Facility's NPI"
            path="facility.npi"
            value={f.facility.npi}
            onChange={(npi) => set({ facility: { ...f.facility, npi } })}
            inputMode="numeric"
            maxLength={10}
          />
        </div>
        <AddressFields
          value={f.facility}
          set={(change) => set({ facility: { ...f.facility, ...change } })}
          path="facility.address"
          second
        />
      </Part>
      <Part
        title="Payment and consent"
        about={[
          f.patient_paid && "patient paid",
          f.assignment_of_benefits ? "the payer pays the office" : "the payer pays the patient",
        ]
          .filter(Boolean)
          .join(", ")}
        paths={[
          "patient_paid",
          "assignment_of_benefits",
          "accept_assignment",
          "release_of_information",
        ]}
      >
        <div className="fields">
          <MoneyField
            label="The patient has paid"
            path="patient_paid"
            value={f.patient_paid}
            onChange={(patient_paid) => set({ patient_paid })}
            onBlur={() => set({ patient_paid: amount(f.patient_paid) ?? "" })}
          />
          <SelectField
            label="Consent to release information"
            path="release_of_information"
            value={f.release_of_information}
            onChange={(release_of_information) => set({ release_of_information })}
            options={[
              ["signed", "A signed statement is on file"],
              ["informed_consent", "The law requires no signature"],
            ]}
          />
        </div>
        <Check
          label="The payer pays the office, not the patient"
          path="assignment_of_benefits"
          checked={f.assignment_of_benefits}
          onChange={(assignment_of_benefits) => set({ assignment_of_benefits })}
        />
        <Check
          label="The office accepts the payer's terms for this claim"
          path="accept_assignment"
          checked={f.accept_assignment}
          onChange={(accept_assignment) => set({ accept_assignment })}
        />
      </Part>
    </section>
  );
}
