import { expect, test } from "vitest";
import type { CheckResource } from "./list";
import { entered, questions } from "./questions";

const check = {
  not_returned: [
    "plan_rules.missing_tooth_clause",
    "coverage.implants",
    "procedures.D2740",
    "deductibles",
  ],
  maximums: [{ level: "individual", period: "calendar_year", applies_to: null }],
  deductibles: [],
} as unknown as CheckResource;

test("what the payer did not return comes first", () => {
  expect(
    questions(check)
      .slice(0, 4)
      .map((q) => q.path),
  ).toEqual([
    "plan_rules.missing_tooth_clause",
    "coverage.implants.percent_paid",
    "procedures.D2740.percent_paid",
    "deductibles.0",
  ]);
  expect(questions(check).some((q) => q.path === "maximums.0.remaining")).toBe(true);
});

test("values have the form of the API", () => {
  expect(entered("percent", " 50 ")).toBe(50);
  expect(entered("percent", "half")).toBe("half");
  expect(entered("money", "1500")).toBe("1500.00");
  expect(entered("text", " yes ")).toBe("yes");
  expect(entered("row", "50")).toEqual({
    level: "individual",
    period: "calendar_year",
    amount: "50.00",
  });
});
