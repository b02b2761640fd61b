import { expect, test } from "vitest";
import { ageOf, byCode, eligibleNow, often, usedOf } from "./benefits";

test.each([
  // 2,000.00 less 1,640.00 left is 360.00 used, of 2,000.00 18 percent
  [{ amount: "2000.00", used: null, remaining: "1640.00" }, "360.00", 18],
  [{ amount: "50.00", used: "50.00", remaining: "0.00" }, "50.00", 100],
  [{ amount: "1500.00", used: null, remaining: null }, null, null],
  [{ amount: null, used: "20.00", remaining: null }, "20.00", null],
  [{ amount: "0.00", used: "0.00", remaining: "0.00" }, "0.00", null],
  [{ amount: "100.00", used: "150.00", remaining: null }, "150.00", 100],
])("of %j, %s is used, %s percent", (amount, used, share) => {
  expect(usedOf(amount)).toEqual({ used, share });
});

const limit = { count: 2, period: "calendar_year", scope: null, period_count: 1 };
test.each([
  [{ ...limit, period_unit: "year" as const }, null, "2 times per calendar year"],
  [
    { ...limit, period_unit: "year" as const, used: 1 },
    null,
    "2 times per calendar year, 1 of 2 used this year",
  ],
  [
    {
      count: 1,
      period: "36 months",
      scope: "per tooth",
      period_count: 36,
      period_unit: "month" as const,
      used: 0,
    },
    13,
    "once per 36 months (per tooth), 0 of 1 used per 36 months, up to age 13",
  ],
  [null, 18, "up to age 18"],
  [null, null, null],
])("how often %j is, in words", (frequency, age, says) => {
  expect(often(frequency, age)).toBe(says);
});

test.each([
  ["2026-06-15", "2026-06-15", { days: 0, old: false }],
  ["2026-06-08", "2026-06-15", { days: 7, old: true }],
  ["2026-06-09", "2026-06-15", { days: 6, old: false }],
  ["2026-05-31", "2026-06-01", { days: 1, old: true }], // another month
])("an answer of %s on %s", (checked, today, age) => {
  expect(ageOf(checked, today)).toEqual(age);
});

test("a date that has come is eligible now", () => {
  expect(eligibleNow({ next_eligible_date: "2026-06-15" }, "2026-06-15")).toBe(true);
  expect(eligibleNow({ next_eligible_date: "2026-06-16" }, "2026-06-15")).toBe(false);
  expect(eligibleNow({ next_eligible_date: null }, "2026-06-15")).toBe(false);
});

test("procedures stand in the order of their codes", () => {
  const rows = ["D2740", "D0120", "D1110"].map((code) => ({ code }));
  expect(byCode(rows).map((p) => p.code)).toEqual(["D0120", "D1110", "D2740"]);
});
