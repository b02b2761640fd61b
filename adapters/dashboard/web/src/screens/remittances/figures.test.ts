import { describe, expect, test } from "vitest";
import { patientOf, restOf } from "./figures";

const adjustment = (group: string, reason: string, amount: string) => ({
  group,
  reason,
  amount,
  quantity: null,
});
const crown = {
  charge: "1250.00",
  paid: "800.00",
  contractual: "250.00",
  not_paid: "0.00",
  status_code: "1",
  balanced: true,
  adjustments: [],
  lines: [{ adjustments: [adjustment("CO", "45", "250.00"), adjustment("PR", "2", "200.00")] }],
};

describe("the figures of a remittance claim", () => {
  test("add up", () => {
    expect(patientOf(crown)).toBe("200.00");
    expect(restOf(crown)).toBeNull();
  });
  test("of a reversal add up below 0", () => {
    const back = {
      ...crown,
      status_code: "22",
      charge: "-1250.00",
      paid: "-800.00",
      contractual: "-250.00",
      lines: [
        { adjustments: [adjustment("CO", "45", "-250.00"), adjustment("PR", "2", "-200.00")] },
      ],
    };
    expect(patientOf(back)).toBe("-200.00");
    expect(restOf(back)).toBeNull();
  });
  test("say what an estimate would pay, and what earlier payers settled", () => {
    const estimate = { ...crown, paid: "0.00", status_code: "25" };
    expect(restOf(estimate)).toEqual({ amount: "800.00", what: "estimated" });
    const second = {
      ...crown,
      contractual: "0.00",
      paid: "60.00",
      lines: [
        { adjustments: [adjustment("OA", "23", "1050.00"), adjustment("PR", "2", "140.00")] },
      ],
    };
    expect(restOf(second)).toEqual({ amount: "1050.00", what: "settled by other payers" });
  });
  test("say what is not explained", () => {
    expect(restOf({ ...crown, paid: "700.00", balanced: false })).toEqual({
      amount: "100.00",
      what: "not explained",
    });
  });
});
