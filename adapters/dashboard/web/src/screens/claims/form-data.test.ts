import { describe, expect, test } from "vitest";
import {
  aClaim,
  aLine,
  amount,
  anOther,
  type Claim,
  contentOf,
  copyOf,
  copyOfCheck,
  formOf,
  sentLines,
  subscriberOf,
  surfacesOf,
  teethOf,
  total,
} from "./form-data";

describe("what a biller types", () => {
  test.each([
    ["1,250", "1250.00"],
    ["$ 1,250.00", "1250.00"],
    ["85.5", "85.50"],
    [".50", "0.50"],
    ["0", "0.00"],
    ["  ", null],
    ["85.555", "85.555"], // the service refuses it at its field
    ["-5", "-5"],
    ["abc", "abc"],
  ])("%j is the amount %j", (typed, want) => {
    expect(amount(typed)).toBe(want);
  });

  test.each([
    ["3, 14", ["3", "14"]],
    ["23-25", ["23", "24", "25"]],
    ["1 – 3, a", ["1", "2", "3", "A"]],
    ["14;15", ["14", "15"]],
    ["25-23", ["25-23"]],
    ["5-5", ["5-5"]],
    ["1-99", ["1-99"]],
    ["", []],
  ])("%j is the teeth %j", (typed, want) => {
    expect(teethOf(typed)).toEqual(want);
  });

  test.each([
    ["dom", ["M", "O", "D"]],
    ["M O D", ["M", "O", "D"]],
    ["ob", ["O", "B"]],
    ["MOX", ["M", "O", "X"]], // as typed: the service says what is wrong
    ["", []],
  ])("%j is the surfaces %j", (typed, want) => {
    expect(surfacesOf(typed)).toEqual(want);
  });

  test("the total adds cents without errors of floats, and skips what is no number", () => {
    const fees = ["0.10", "0.20", "1,000", "abc", ""].map((fee) => ({ ...aLine(), fee }));
    expect(total(fees)).toBe("1000.30");
    expect(total([])).toBe("0.00");
  });
});

describe("the request of a form", () => {
  test("an empty form clears everything, and has no line", () => {
    expect(contentOf(aClaim())).toMatchObject({
      office_id: null,
      payer_id: null,
      subscriber: null,
      patient: null,
      accident: null,
      orthodontics: null,
      facility: null,
      referring_provider: null,
      patient_paid: null,
      note: null,
      lines: [],
      missing_teeth: [],
    });
  });

  test("empty lines at the end are left out, those between others stay", () => {
    const f = aClaim();
    f.lines = [aLine(), { ...aLine(), procedure_code: "D2391" }, aLine("2026-01-09"), aLine()];
    expect(sentLines(f)).toHaveLength(2);
    expect(contentOf(f).lines?.map((l) => l.procedure_code)).toEqual([null, "D2391"]);
  });

  test("a line has one tooth or several, and no date in a predetermination", () => {
    const f = aClaim();
    const line = { ...aLine("2026-01-09"), procedure_code: "d2391", teeth: "14", surfaces: "do" };
    f.lines = [line, { ...line, teeth: "14-16" }];
    const [one, several] = contentOf(f).lines ?? [];
    expect(one).toMatchObject({
      procedure_code: "D2391",
      service_date: "2026-01-09",
      tooth: "14",
      surfaces: ["D", "O"],
      quantity: 1,
    });
    expect(several).toMatchObject({ teeth: ["14", "15", "16"] });
    expect(several).not.toHaveProperty("tooth");
    f.kind = "predetermination";
    expect(contentOf(f).lines?.[0]?.service_date).toBeNull();
  });

  test("a number that is none goes to the service as it was typed", () => {
    const f = aClaim();
    f.lines = [{ ...aLine(), procedure_code: "D1110", quantity: "two" }];
    f.orthodontics.total_months = " 24 ";
    const content = contentOf(f);
    expect(content.lines?.[0]?.quantity).toBe("two");
    expect(content.orthodontics?.total_months).toBe(24);
  });

  test("a person without an address has none, and a state is in capitals", () => {
    const { subscriber } = aClaim();
    expect(subscriberOf(subscriber)).toBeNull();
    expect(subscriberOf({ ...subscriber, first_name: " Rosa " })).toMatchObject({
      first_name: "Rosa",
      last_name: null,
      address: null,
    });
    expect(subscriberOf({ ...subscriber, state: "ny" })?.address).toMatchObject({
      state: "NY",
      city: null,
    });
  });

  test("a payer that is not in the list goes by its name", () => {
    const f = aClaim();
    const [other] = formOf(claim()).other;
    if (!other) throw new Error("the claim has no other plan");
    f.other = [{ ...other, payer: null, payer_id: "X1", payer_name: "Union Fund" }];
    expect(contentOf(f).other_coverage?.[0]).toMatchObject({
      payer_id: "X1",
      payer_name: "Union Fund",
    });
    const payer = { id: "pyr_1", payer_id: "CHTEST", name: "Cedar" };
    f.other = [{ ...other, payer, payer_name: "ignored" }];
    expect(contentOf(f).other_coverage?.[0]).toMatchObject({
      payer_id: "CHTEST",
      payer_name: null,
    });
  });
});

/** claim returns a claim of the API with a dependent and another plan. */
function claim(): Claim {
  const address = { line1: "1 Main St", line2: null, city: "Albany", state: "NY", zip: "12207" };
  const person = {
    first_name: "Rosa",
    middle_name: null,
    last_name: "Rivers",
    suffix: null,
    date_of_birth: "1985-04-12",
    gender: "female",
    address,
  };
  const line = {
    procedure_code: "D2391",
    service_date: "2026-01-09",
    tooth: "14",
    teeth: ["14"],
    surfaces: ["D", "O"],
    oral_cavity: [],
    fee: "185.00",
    quantity: 1,
    modifiers: [],
    diagnosis_pointers: [1],
    prosthesis: null,
    prior_placement_date: null,
    rendering_provider_id: null,
    place_of_service: null,
  };
  const other = {
    sequence: "secondary",
    payer_id: "CHTEST",
    payer_name: null,
    relationship: "self",
    group_number: "G1",
    group_name: null,
    filing_indicator: null,
    subscriber: { ...person, member_id: "S1" },
    adjudication: {
      payment_date: null,
      payer_claim_number: null,
      paid: "80.00",
      adjustments: [],
      lines: [],
    },
  };
  return {
    id: "clm_1",
    kind: "claim",
    coverage: "primary",
    office: { id: "off_1", name: "Main Street" },
    payer: { id: "pyr_1", payer_id: "CHTEST", name: "Cedar Dental" },
    rendering_provider: null,
    subscriber: { ...person, member_id: "W123", group_number: null, group_name: null },
    patient: { ...person, first_name: "Ben", relationship: "child" },
    other_coverage: [other],
    lines: [line],
    patient_control_number: "PCN-1",
    missing_teeth: ["1", "16"],
    teeth_to_extract: [],
    diagnosis_codes: ["K02.52"],
    assignment_of_benefits: true,
    accept_assignment: false,
    release_of_information: "signed",
    note: "As agreed",
  } as unknown as Claim;
}

describe("the form of a claim", () => {
  test("gives the request that the claim was made of", () => {
    const f = formOf(claim());
    f.other = [];
    expect(contentOf(f)).toMatchObject({
      office_id: "off_1",
      payer_id: "CHTEST",
      subscriber: {
        first_name: "Rosa",
        member_id: "W123",
        group_number: null,
        address: { line1: "1 Main St", line2: null, city: "Albany", state: "NY", zip: "12207" },
      },
      patient: { first_name: "Ben", relationship: "child" },
      lines: [
        { tooth: "14", surfaces: ["D", "O"], fee: "185.00", quantity: 1, diagnosis_pointers: [1] },
      ],
      missing_teeth: ["1", "16"],
      diagnosis_codes: ["K02.52"],
      accept_assignment: false,
      note: "As agreed",
    });
  });

  test("of a claim without lines has an empty one", () => {
    const f = formOf({ ...claim(), lines: [] });
    expect(f.lines).toHaveLength(1);
    expect(sentLines(f)).toEqual([]);
  });

  test("a copy takes the people and plans, not what was done or decided", () => {
    const copy = copyOf(claim());
    expect(copy).toMatchObject({ office_id: "off_1", dependent: true, missing_teeth: "1, 16" });
    expect(copy.other?.[0]?.adjudication).toBeNull();
    expect(copy).not.toHaveProperty("lines");
    expect(copy).not.toHaveProperty("note");
    expect(copy).not.toHaveProperty("patient_control_number");
  });
});

describe("a claim that a check begins", () => {
  const check = (payer: string, patient: object | null = null) =>
    ({
      office_id: "off_2",
      payer: { id: payer, payer_id: "P", name: "Payer" },
      plan: { group_number: "G-9" },
      request: {
        subscriber: {
          first_name: "NORA",
          last_name: "Rivers",
          date_of_birth: "1984-02-29",
          member_id: "W1",
          group_number: null,
        },
        patient,
        service_date: "2026-06-15",
        procedure_codes: ["D1110", "D0120"],
      },
    }) as unknown as Parameters<typeof copyOfCheck>[0];
  const before = {
    ...aClaim(),
    payer: { id: "pyr_1", payer_id: "P", name: "Payer" },
    rendering_provider_id: "prv_1",
    other: [anOther("secondary")],
  };
  before.subscriber = {
    ...before.subscriber,
    first_name: "Nora",
    last_name: "Rivers",
    line1: "2 Oak Street",
    gender: "female",
    member_id: "OLD",
  };

  test("has what the check asked, and of the latest claim what the check lacks", () => {
    const form = copyOfCheck(check("pyr_1"), before);
    expect(form.lines?.map((l) => [l.procedure_code, l.service_date])).toEqual([
      ["D1110", "2026-06-15"],
      ["D0120", "2026-06-15"],
    ]);
    expect(form.subscriber).toMatchObject({
      first_name: "NORA",
      line1: "2 Oak Street",
      gender: "female",
      member_id: "W1",
      group_number: "G-9",
    });
    expect(form).toMatchObject({ office_id: "off_2", rendering_provider_id: "prv_1" });
    expect(form.other).toHaveLength(1);
  });

  test("leaves out the other plans of a patient whose payer has changed, and the address of another person", () => {
    const subscriber = { ...before.subscriber, first_name: "Ben" };
    const form = copyOfCheck(check("pyr_2"), { ...before, subscriber });
    expect(form.other).toEqual([]);
    expect(form.subscriber?.line1).toBe("");
  });

  test("without an earlier claim has the check alone", () => {
    const child = {
      first_name: "Finn",
      last_name: "Rivers",
      date_of_birth: "2016-02-29",
      relationship: "child",
    };
    const form = copyOfCheck(check("pyr_1", child));
    expect(form.dependent).toBe(true);
    expect(form.patient).toMatchObject({ first_name: "Finn", relationship: "child" });
    expect(form.subscriber?.member_id).toBe("W1");
  });
});
