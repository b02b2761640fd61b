import { describe, expect, test } from "vitest";
import { adjustmentsOf, allowedOf } from "./sums";

const adjustment = (group: string, reason: string, amount: string) => ({
  group,
  reason,
  amount,
  quantity: null,
});
const line = (allowed: string | null, ...adjustments: ReturnType<typeof adjustment>[]) => ({
  allowed,
  adjustments,
});

describe("a posting sheet", () => {
  test("has each reason once", () => {
    const c = {
      allowed: null,
      adjustments: [adjustment("CO", "45", "0.10")],
      lines: [
        line("1.00", adjustment("CO", "45", "0.20"), adjustment("PR", "1", "50.00")),
        line("1.00", adjustment("PR", "1", "-20.00")),
      ],
    };
    expect(adjustmentsOf(c)).toEqual([
      { group: "CO", reason: "45", amount: "0.30" },
      { group: "PR", reason: "1", amount: "30.00" },
    ]);
  });
  test("adds up what the payer allows, if all lines state it", () => {
    const of = (allowed: string | null, ...lines: (string | null)[]) =>
      allowedOf({ allowed, adjustments: [], lines: lines.map((l) => line(l)) });
    expect(of("90.00", "1.00", "2.00")).toBe("90.00");
    expect(of(null, "1.10", "2.20")).toBe("3.30");
    expect(of(null, "1.10", null)).toBeNull();
    expect(of(null)).toBeNull();
  });
});
