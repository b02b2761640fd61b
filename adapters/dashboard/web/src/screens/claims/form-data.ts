// What the claim form holds: texts as they were typed, and how they become a
// request and come from a claim.
import type { Schemas } from "../../api/client";
import type { PickedPayer } from "../../ui/payer-picker";
import { ordered } from "../../ui/teeth";

export type Claim = Schemas["Claim"];
type Content = Schemas["ClaimContent"];
type Covers = Claim["other_coverage"][number];

export type Person = {
  first_name: string;
  middle_name: string;
  last_name: string;
  suffix: string;
  date_of_birth: string;
  gender: string;
  line1: string;
  line2: string;
  city: string;
  state: string;
  zip: string;
};
export type Subscriber = Person & { member_id: string; group_number: string; group_name: string };
export type Patient = Person & { relationship: string };

export type Line = {
  key: number;
  procedure_code: string;
  service_date: string;
  teeth: string;
  surfaces: string;
  area: string;
  fee: string;
  quantity: string;
  prosthesis: string;
  prior_placement_date: string;
  rendering_provider_id: string;
  place_of_service: string;
  modifiers: string;
  diagnosis_pointers: string;
};

export type Other = {
  key: number;
  sequence: string;
  payer: PickedPayer | null;
  payer_id: string;
  payer_name: string;
  relationship: string;
  group_number: string;
  group_name: string;
  filing_indicator: string;
  subscriber: Person & { member_id: string };
  adjudication: Covers["adjudication"];
};

export type ClaimForm = {
  kind: Schemas["ClaimKind"];
  office_id: string;
  payer: PickedPayer | null;
  rendering_provider_id: string;
  coverage: string;
  subscriber: Subscriber;
  dependent: boolean;
  patient: Patient;
  other: Other[];
  lines: Line[];
  patient_control_number: string;
  place_of_service: string;
  prior_authorization: string;
  predetermination_number: string;
  referral_number: string;
  tenant_reference: string;
  estimate_id: string;
  referring: { first_name: string; last_name: string; npi: string };
  facility: {
    name: string;
    npi: string;
    line1: string;
    line2: string;
    city: string;
    state: string;
    zip: string;
  };
  orthodontics: { total_months: string; months_remaining: string; appliance_date: string };
  missing_teeth: string;
  teeth_to_extract: string;
  diagnosis_codes: string;
  patient_paid: string;
  assignment_of_benefits: boolean;
  accept_assignment: boolean;
  release_of_information: string;
  accident: { type: string; date: string; state: string };
  note: string;
};

/** awaitsEnrollment says whether nothing is wrong with a claim but the enrollment of its office with the payer. */
export const awaitsEnrollment = (c: Claim): boolean =>
  c.state === "needs_attention" &&
  c.findings.length > 0 &&
  c.findings.every((f) => f.code === "enrollment_not_active");

const sequences = ["primary", "secondary", "tertiary"] as const;

/** nextPayer names the payer after the claim's; undefined for a tertiary claim. */
export const nextPayer = (c: Claim): string | undefined =>
  sequences[sequences.indexOf(c.coverage) + 1];

/** payerBefore names the payer before the claim's; undefined for a primary claim. */
export const payerBefore = (c: Claim): string | undefined =>
  sequences[sequences.indexOf(c.coverage) - 1];

let keys = 0;
const key = () => ++keys;

const person = (): Person => ({
  first_name: "",
  middle_name: "",
  last_name: "",
  suffix: "",
  date_of_birth: "",
  gender: "",
  line1: "",
  line2: "",
  city: "",
  state: "",
  zip: "",
});

/** aLine returns an empty line. */
export function aLine(service_date = ""): Line {
  return {
    key: key(),
    procedure_code: "",
    service_date,
    teeth: "",
    surfaces: "",
    area: "",
    fee: "",
    quantity: "1",
    prosthesis: "",
    prior_placement_date: "",
    rendering_provider_id: "",
    place_of_service: "",
    modifiers: "",
    diagnosis_pointers: "",
  };
}

/** anOther returns an empty coverage for the payer with a place among the payers. */
export function anOther(sequence: string): Other {
  return {
    key: key(),
    sequence,
    payer: null,
    payer_id: "",
    payer_name: "",
    relationship: "self",
    group_number: "",
    group_name: "",
    filing_indicator: "",
    subscriber: { ...person(), member_id: "" },
    adjudication: null,
  };
}

/** aClaim returns an empty form with one line. */
export function aClaim(): ClaimForm {
  return {
    kind: "claim",
    office_id: "",
    payer: null,
    rendering_provider_id: "",
    coverage: "primary",
    subscriber: { ...person(), member_id: "", group_number: "", group_name: "" },
    dependent: false,
    patient: { ...person(), relationship: "" },
    other: [],
    lines: [aLine()],
    patient_control_number: "",
    place_of_service: "",
    prior_authorization: "",
    predetermination_number: "",
    referral_number: "",
    tenant_reference: "",
    estimate_id: "",
    referring: { first_name: "", last_name: "", npi: "" },
    facility: { name: "", npi: "", line1: "", line2: "", city: "", state: "", zip: "" },
    orthodontics: { total_months: "", months_remaining: "", appliance_date: "" },
    missing_teeth: "",
    teeth_to_extract: "",
    diagnosis_codes: "",
    patient_paid: "",
    assignment_of_benefits: true,
    accept_assignment: true,
    release_of_information: "signed",
    accident: { type: "", date: "", state: "" },
    note: "",
  };
}

/** fill returns an object of texts with what another one has of them. */
function fill<T extends Record<string, string>>(empty: T, from: object | null | undefined): T {
  const out: Record<string, string> = { ...empty };
  for (const name of Object.keys(empty)) {
    const v = (from as Record<string, unknown> | null | undefined)?.[name];
    if (typeof v === "string" || typeof v === "number") out[name] = String(v);
  }
  return out as T;
}

const withAddress = <T extends Record<string, string>>(
  empty: T,
  from: { address?: object | null } | null | undefined,
): T => fill(fill(empty, from), from?.address);

/** formOf returns the form of a claim. */
export function formOf(c: Claim): ClaimForm {
  const empty = aClaim();
  return {
    ...empty,
    kind: c.kind,
    office_id: c.office.id,
    payer: c.payer,
    rendering_provider_id: c.rendering_provider?.id ?? "",
    coverage: c.coverage,
    ...peopleOf(c),
    other: c.other_coverage.map((o) => otherOf(o)),
    lines:
      c.lines.length > 0
        ? c.lines.map((l) => ({
            ...(fill(aLine() as unknown as Record<string, string>, l) as unknown as Line),
            key: key(),
            teeth: l.teeth.join(", ") || l.tooth || "",
            surfaces: l.surfaces.join(l.surfaces.some((s) => s.length > 1) ? " " : ""),
            area: l.oral_cavity.join(" "),
            modifiers: l.modifiers.join(", "),
            diagnosis_pointers: l.diagnosis_pointers.join(", "),
          }))
        : [aLine()],
    ...fill(
      {
        patient_control_number: "",
        place_of_service: "",
        prior_authorization: "",
        predetermination_number: "",
        referral_number: "",
        tenant_reference: "",
        estimate_id: "",
        patient_paid: "",
        note: "",
      },
      c,
    ),
    referring: fill(empty.referring, c.referring_provider),
    facility: withAddress(empty.facility, c.facility),
    orthodontics: fill(empty.orthodontics, c.orthodontics),
    missing_teeth: c.missing_teeth.join(", "),
    teeth_to_extract: c.teeth_to_extract.join(", "),
    diagnosis_codes: c.diagnosis_codes.join(", "),
    assignment_of_benefits: c.assignment_of_benefits,
    accept_assignment: c.accept_assignment,
    release_of_information: c.release_of_information,
    accident: fill(empty.accident, c.accident),
  };
}

/** peopleOf returns the people of a claim. */
export function peopleOf(c: Claim): Pick<ClaimForm, "subscriber" | "dependent" | "patient"> {
  const empty = aClaim();
  return {
    subscriber: withAddress(empty.subscriber, c.subscriber),
    dependent: c.patient !== null,
    patient: withAddress(empty.patient, c.patient),
  };
}

function otherOf(o: Covers): Other {
  const empty = anOther("");
  return {
    ...empty,
    ...fill(
      {
        sequence: "",
        payer_name: "",
        relationship: "",
        group_number: "",
        group_name: "",
        filing_indicator: "",
      },
      o,
    ),
    payer_id: o.payer_name ? (o.payer_id ?? "") : "",
    payer:
      o.payer_id && !o.payer_name
        ? { id: o.payer_id, payer_id: o.payer_id, name: o.payer_id }
        : null,
    subscriber: withAddress(empty.subscriber, o.subscriber),
    adjudication: o.adjudication,
  };
}

/** copyOf returns what a new claim of a patient takes from an earlier one: the people, the plans and the
 *  places. */
export function copyOf(c: Claim): Partial<ClaimForm> {
  const f = formOf(c);
  return {
    ...peopleOf(c),
    office_id: f.office_id,
    payer: f.payer,
    rendering_provider_id: f.rendering_provider_id,
    coverage: f.coverage,
    other: f.other.map((o) => ({ ...o, adjudication: null })),
    missing_teeth: f.missing_teeth,
  };
}

/** copyOfCheck returns what a claim takes from an eligibility check: the people, the plan, the office, and a line for
 *  each procedure that was asked. What the check does not have, such as addresses, the treating provider and other
 *  plans, comes from the patient's latest claim. */
export function copyOfCheck(
  c: Schemas["EligibilityCheck"],
  earlier: Partial<ClaimForm> = {},
): Partial<ClaimForm> {
  const { subscriber, patient, procedure_codes, service_date } = c.request;
  const empty = aClaim();
  const known = (was: Person | undefined, now: { first_name: string; last_name: string }) =>
    was && alike(was.first_name, now.first_name) && alike(was.last_name, now.last_name) ? was : {};
  const lines = procedure_codes.map((code) => ({ ...aLine(service_date), procedure_code: code }));
  return {
    ...earlier,
    other: earlier.payer?.id === c.payer.id ? (earlier.other ?? []) : [], // else they may have changed, too
    coverage: "primary",
    office_id: c.office_id,
    payer: c.payer,
    subscriber: {
      ...empty.subscriber,
      ...known(earlier.subscriber, subscriber),
      ...stated(fill(empty.subscriber, subscriber)),
      group_number: subscriber.group_number ?? c.plan?.group_number ?? "",
    },
    dependent: patient !== null,
    patient: patient
      ? {
          ...empty.patient,
          ...known(earlier.patient, patient),
          ...stated(fill(empty.patient, patient)),
        }
      : empty.patient,
    lines: lines.length > 0 ? lines : [aLine(service_date)],
  };
}

/** copyOfEstimate returns what a claim takes from an estimate: its services, with the fees, and which one it is. */
export function copyOfEstimate(e: Schemas["Estimate"]): Partial<ClaimForm> {
  return {
    estimate_id: e.id ?? "",
    lines: e.lines.map((l) => ({
      ...aLine(l.service_date),
      procedure_code: l.procedure_code,
      fee: l.fee.most,
      quantity: String(l.quantity),
      teeth: l.tooth ?? "",
      surfaces: l.surfaces.join(""),
      area: l.oral_cavity.join(" "),
      prosthesis: l.prior_placement_date ? "replacement" : "",
      prior_placement_date: l.prior_placement_date ?? "",
    })),
  };
}

const alike = (a: string, b: string): boolean =>
  a.localeCompare(b, "en", { sensitivity: "base" }) === 0;

/** stated returns the fields of a form that have a text. */
const stated = <T extends object>(form: T): Partial<T> =>
  Object.fromEntries(Object.entries(form).filter(([, v]) => v !== "")) as Partial<T>;

const text = (s: string): string | null => s.trim() || null;
const list = (s: string): string[] =>
  s
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter(Boolean);

/** number returns a whole number, or what was typed, which the service refuses with its place. */
function number(s: string): number | null {
  if (s.trim() === "") return null;
  return /^\d+$/.test(s.trim()) ? Number(s) : (s as unknown as number);
}

/** amount returns dollars in the form of the API: 1,250 is 1250.00. */
export function amount(s: string): string | null {
  const plain = s.replace(/[$,\s]/g, "");
  if (plain === "") return null;
  if (/^\d+$/.test(plain)) return `${plain}.00`;
  if (/^\d+\.\d$/.test(plain)) return `${plain}0`;
  return /^\.\d\d$/.test(plain) ? `0${plain}` : plain;
}

/** teethOf returns the teeth of a text such as "3, 14" or "23-25". */
export function teethOf(s: string): string[] {
  return list(s.replace(/\s*[-–]\s*/g, "-")).flatMap((part) => {
    const range = /^(\d{1,2})-(\d{1,2})$/.exec(part);
    const [from, to] = [Number(range?.[1]), Number(range?.[2])];
    return range && from < to && to <= 82
      ? Array.from({ length: to - from + 1 }, (_, i) => String(from + i))
      : [part];
  });
}

/** surfacesOf returns the surfaces of a text such as "mod" or "M O D". */
export function surfacesOf(s: string): string[] {
  const parts = list(s);
  return parts.every((p) => /^[MODBFLI]+$/.test(p))
    ? ordered(parts.join("").split(""))
    : parts.flatMap((p) => p.split(""));
}

function some<T extends Record<string, string>>(o: T): boolean {
  return Object.values(o).some((v) => v.trim() !== "");
}

function addressOf(p: { line1: string; line2: string; city: string; state: string; zip: string }) {
  const { line1, line2, city, state, zip } = p;
  const a = { line1, line2, city, state, zip };
  return some(a)
    ? {
        line1: text(line1),
        line2: text(line2),
        city: text(city),
        state: text(state.toUpperCase()),
        zip: text(zip),
      }
    : null;
}

function personOf(p: Person) {
  return {
    first_name: text(p.first_name),
    middle_name: text(p.middle_name),
    last_name: text(p.last_name),
    suffix: text(p.suffix),
    date_of_birth: text(p.date_of_birth),
    gender: text(p.gender) as "female" | null,
    address: addressOf(p),
  };
}

/** cleared is null, which clears what an earlier version had. The generated types lack it for objects. */
const cleared = null as unknown as undefined;

/** subscriberOf returns the subscriber as a request has it, or cleared of an empty one. */
export function subscriberOf(s: Subscriber): Schemas["ClaimSubscriberInput"] | undefined {
  if (!some(s)) return cleared;
  return {
    ...personOf(s),
    member_id: text(s.member_id),
    group_number: text(s.group_number),
    group_name: text(s.group_name),
  };
}

const blankLine = (l: Line) =>
  [l.procedure_code, l.teeth, l.surfaces, l.fee, l.area].every((v) => v.trim() === "");

/** sentLines returns the lines that a request has: empty ones at the end are left out. */
export function sentLines(f: ClaimForm): Line[] {
  const last = f.lines.findLastIndex((l) => !blankLine(l));
  return f.lines.slice(0, last + 1);
}

/** contentOf returns the whole claim as a request has it. Null clears what an earlier version had. */
export function contentOf(f: ClaimForm): Content {
  return {
    office_id: text(f.office_id),
    payer_id: f.payer?.payer_id ?? null,
    rendering_provider_id: text(f.rendering_provider_id),
    coverage: f.coverage as "primary",
    subscriber: subscriberOf(f.subscriber),
    patient: f.dependent
      ? { ...personOf(f.patient), relationship: text(f.patient.relationship) as "child" | null }
      : cleared,
    other_coverage: f.other.map((o) => ({
      sequence: text(o.sequence) as "primary" | null,
      payer_id: o.payer?.payer_id ?? text(o.payer_id),
      payer_name: o.payer ? null : text(o.payer_name),
      subscriber: { ...personOf(o.subscriber), member_id: text(o.subscriber.member_id) },
      relationship: text(o.relationship) as "self" | null,
      group_number: text(o.group_number),
      group_name: text(o.group_name),
      filing_indicator: text(o.filing_indicator),
      adjudication: o.adjudication && {
        payment_date: o.adjudication.payment_date,
        payer_claim_number: o.adjudication.payer_claim_number,
        paid: o.adjudication.paid,
        adjustments: adjustmentsOf(o.adjudication.adjustments),
        lines: o.adjudication.lines.map((l) => ({
          line_number: l.line_number,
          procedure_code: l.procedure_code,
          paid: l.paid,
          units: l.units,
          adjustments: adjustmentsOf(l.adjustments),
        })),
      },
    })),
    place_of_service: text(f.place_of_service),
    prior_authorization: text(f.prior_authorization),
    predetermination_number: text(f.predetermination_number),
    referral_number: text(f.referral_number),
    tenant_reference: text(f.tenant_reference),
    estimate_id: text(f.estimate_id),
    referring_provider: some(f.referring)
      ? {
          first_name: text(f.referring.first_name),
          last_name: text(f.referring.last_name),
          npi: text(f.referring.npi),
        }
      : null,
    facility: some(f.facility)
      ? { name: text(f.facility.name), npi: text(f.facility.npi), address: addressOf(f.facility) }
      : null,
    orthodontics: some(f.orthodontics)
      ? {
          total_months: number(f.orthodontics.total_months),
          months_remaining: number(f.orthodontics.months_remaining),
          appliance_date: text(f.orthodontics.appliance_date),
        }
      : null,
    missing_teeth: teethOf(f.missing_teeth),
    teeth_to_extract: teethOf(f.teeth_to_extract),
    diagnosis_codes: list(f.diagnosis_codes),
    patient_paid: amount(f.patient_paid),
    assignment_of_benefits: f.assignment_of_benefits,
    accept_assignment: f.accept_assignment,
    release_of_information: f.release_of_information as "signed",
    accident: some(f.accident)
      ? {
          type: text(f.accident.type) as "auto" | null,
          date: text(f.accident.date),
          state: text(f.accident.state.toUpperCase()),
        }
      : null,
    note: text(f.note),
    lines: sentLines(f).map((l) => {
      const teeth = teethOf(l.teeth);
      return {
        procedure_code: text(l.procedure_code.toUpperCase()),
        service_date: f.kind === "claim" ? text(l.service_date) : null,
        fee: amount(l.fee),
        quantity: number(l.quantity),
        ...(teeth.length > 1 ? { teeth } : { tooth: teeth[0] ?? null }),
        surfaces: surfacesOf(l.surfaces),
        oral_cavity: list(l.area),
        modifiers: list(l.modifiers),
        diagnosis_pointers: list(l.diagnosis_pointers).flatMap((n) => number(n) ?? []),
        prosthesis: text(l.prosthesis) as "initial" | null,
        prior_placement_date: text(l.prior_placement_date),
        place_of_service: text(l.place_of_service),
        rendering_provider_id: text(l.rendering_provider_id),
      };
    }),
  };
}

function adjustmentsOf(
  all: readonly { group: string; reason: string; amount: string; quantity?: string | null }[],
) {
  return all.map((a) => ({
    group: a.group as "CO",
    reason: a.reason,
    amount: a.amount,
    quantity: a.quantity ?? null,
  }));
}

/** total returns the charge of the lines that are typed, as the API counts it: the sum of the fees. */
export function total(lines: readonly Line[]): string {
  const sum = lines.reduce((n, l) => n + Math.round((Number(amount(l.fee) ?? 0) || 0) * 100), 0);
  return (sum / 100).toFixed(2);
}
