import { expect, test } from "vitest";
import { questions } from "./questions";
import { said, valueName } from "./values";

const row = { level: "individual", period: "calendar_year", applies_to: null } as const;
const family = { ...row, level: "family", applies_to: "orthodontics" } as const;
const check = {
  maximums: [row, family],
  deductibles: [],
  out_of_network: { maximums: [row], deductibles: [] },
};

test.each([
  ["coverage.major.percent_paid", "Major: percent that the plan pays"],
  ["coverage.oral_surgery.covered", "Oral surgery: whether it is covered"],
  ["coverage.basic", "Coverage of basic services"],
  ["coverage.basic.frequency.used", "Basic: how many times used"],
  ["procedures.D2740.percent_paid", "D2740: percent that the plan pays"],
  ["maximums.0.remaining", "Individual maximum, calendar year: what is left"],
  ["maximums.1.amount", "Family maximum, calendar year, orthodontics: amount"],
  ["maximums.7.amount", "Maximum 8: amount"],
  ["maximums", "Maximums"],
  ["waiting_periods.major.months", "Major: months to wait"],
  ["waiting_periods.major", "Major: waiting period"],
  ["plan_rules.missing_tooth_clause", "Whether a missing tooth clause applies"],
  ["network_status", "Whether the office is in network"],
  ["status", "Status"],
  ["out_of_network", "Out of network"],
  [
    "out_of_network.coverage.major.percent_paid",
    "Out of network, major: percent that the plan pays",
  ],
  ["out_of_network.maximums.0.amount", "Out of network, individual maximum, calendar year: amount"],
])("%s is %s", (path, name) => {
  expect(valueName(path, check)).toBe(name);
});

test("a row that the check lacks is named by its value", () => {
  const gone = { ...row, amount: "50.00" };
  expect(valueName("deductibles.0", check, gone)).toBe("Individual deductible, calendar year");
  expect(valueName("deductibles", check, gone)).toBe("Individual deductible, calendar year");
});

test("a value that can be added has the name that the dialog gives it", () => {
  const c = { ...check, not_returned: ["procedures.D2740"] } as unknown as Parameters<
    typeof questions
  >[0];
  for (const q of questions(c)) expect(valueName(q.path, c, row)).toBe(q.label);
});

test.each<[unknown, string]>([
  [true, "Yes"],
  [false, "No"],
  [null, "nothing"],
  [50, "50"],
  ["2000.00", "$2,000.00"],
  ["2027-01-05", "Jan 5, 2027"],
  ["in_network", "In network"],
  ["yes, for 3_years", "yes, for 3_years"],
  [[], "nothing"],
  [{ count: 1, period: "60 months" }, "count 1, period 60 months"],
  [{ percent_paid: 50, covered: true }, "percent that the plan pays 50, whether it is covered Yes"],
  [{ ...row, amount: "50.00", remaining: "0.00" }, "amount $50.00, what is left $0.00"],
])("%j is said as %s", (value, text) => {
  expect(said(value)).toBe(text);
});
