import { describe, expect, test } from "vitest";
import { anOther, type Claim } from "./form-data";
import { nextPlanOf, personIn } from "./next-plan";

const address = {
  line1: "2 Oak Street",
  line2: null,
  city: "Springfield",
  state: "IL",
  zip: "62701",
};
const nora = {
  first_name: "Nora",
  middle_name: null,
  last_name: "Rivers",
  suffix: null,
  date_of_birth: "1984-02-29",
  gender: "female",
  address,
  member_id: "FIRST-1",
  group_number: "G-1",
  group_name: "First",
};
const claim = (change: object = {}) =>
  ({
    coverage: "primary",
    other_coverage: [],
    subscriber: nora,
    patient: null,
    ...change,
  }) as unknown as Claim;
const check = (subscriber: object, patient: object | null = null) =>
  ({
    id: "elg_1",
    office_id: "off_1",
    payer: { id: "pyr_2", payer_id: "60054", name: "Aetna Dental" },
    plan: { group_number: "G-2" },
    request: {
      subscriber: { date_of_birth: "1984-02-29", group_number: null, ...subscriber },
      patient,
      service_date: "2026-06-15",
      procedure_codes: [],
    },
  }) as unknown as Parameters<typeof nextPlanOf>[1];

describe("the next plan", () => {
  test("is what the check asked, with the address of the person in the claim", () => {
    const plan = nextPlanOf(
      claim(),
      check({ first_name: "NORA", last_name: "Rivers", member_id: "W2" }),
    );
    expect(plan.payer?.payer_id).toBe("60054");
    expect(plan.relationship).toBe("self");
    expect(plan.subscriber).toMatchObject({
      first_name: "NORA",
      line1: "2 Oak Street",
      gender: "female",
      member_id: "W2",
      group_number: "G-2",
      group_name: "",
    });
  });

  test("has the patient's relationship to a subscriber whom the claim does not have", () => {
    const plan = nextPlanOf(
      claim(),
      check(
        { first_name: "Ben", last_name: "Rivers", member_id: "W3" },
        { first_name: "Nora", last_name: "Rivers", relationship: "spouse" },
      ),
    );
    expect(plan.relationship).toBe("spouse");
    expect(plan.subscriber).toMatchObject({ first_name: "Ben", member_id: "W3", line1: "" });
  });

  test("is the one that the claim names, before that of a check", () => {
    const named = { ...anOther("secondary"), payer_id: "84105", relationship: "child" };
    const plan = nextPlanOf(
      claim({ other_coverage: [named] }),
      check({ first_name: "Nora", last_name: "Rivers", member_id: "W2" }),
    );
    expect(plan.payer?.payer_id).toBe("84105");
    expect(plan.relationship).toBe("child");
  });

  test("is empty if nothing is known", () => {
    expect(nextPlanOf(claim())).toMatchObject({ payer: null, relationship: "" });
  });

  test("takes over a person without the numbers of their plan", () => {
    const kim = { first_name: "Kim", last_name: "Rivers", address: null };
    expect(personIn(claim({ patient: kim }))).toEqual({
      first_name: "Kim",
      last_name: "Rivers",
      line1: "2 Oak Street",
      city: "Springfield",
      state: "IL",
      zip: "62701",
    });
    expect(personIn(claim())).not.toHaveProperty("member_id");
  });
});
