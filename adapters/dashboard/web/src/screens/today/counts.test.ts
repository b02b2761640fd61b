import { expect, test } from "vitest";
import { atStake, type Counts, officesCounted, tasksOf, upTo, wholeBut } from "./counts";

const n = (count: number, more = false) => ({ count, more });
const office = (id: string) => ({ id, name: `Office ${id}` });
const counts: Counts = {
  open: n(10_000, true),
  mine: n(0),
  nobody: n(3),
  kinds: {},
  offices: { a: n(10_000, true), b: n(2) },
  payers: [
    { payer: { id: "pyr_1", payer_id: "60054", name: "Aetna Dental" }, ...n(1200) },
    { payer: { id: "pyr_2", payer_id: "CHTEST", name: "Molar Test Payer" }, ...n(1) },
  ],
};

test("an office has its open tasks beside its name, also one that has none", () => {
  expect(officesCounted(["a", "b", "c"].map(office), counts)).toEqual([
    ["", "All offices"],
    ["a", "Office a (10,000+)"],
    ["b", "Office b (2)"],
    ["c", "Office c (0)"],
  ]);
});

test("without counts, and from a service that does not count by office, the name stands alone", () => {
  const { offices: _, ...before } = counts;
  for (const of of [undefined, before])
    expect(officesCounted([office("a")], of).at(1)).toEqual(["a", "Office a"]);
});

test.each([
  ["pyr_1", "1,200 tasks"],
  ["pyr_2", "1 task"],
  ["pyr_3", ""], // it has none, or is not among those with the most
])("payer %s: %s", (id, says) => {
  expect(tasksOf(id, counts)).toBe(says);
});

test("a count ends at its limit", () => {
  expect(upTo(n(10_000, true))).toBe("10,000+");
});

test("counts are beside a filter while no other narrows the list", () => {
  expect(wholeBut("office_id", {})).toBe(true);
  expect(wholeBut("office_id", { office_id: "off_1" })).toBe(true);
  expect(wholeBut("payer_id", { office_id: "off_1" })).toBe(false);
  expect(wholeBut("kind", { kind: ["denied"], assignee: "me" })).toBe(false);
  expect(wholeBut("kind", { state: "snoozed" })).toBe(false);
});

test("two tasks about the same money of a claim are at stake once", () => {
  const task = (id: string, amount: string | null) => ({
    resource: { object: "claim", id } as const,
    amount,
  });
  const all = [
    task("a", "80.00"),
    task("a", "80.00"),
    task("b", "80.00"),
    task("a", "5.00"),
    task("b", null),
  ];
  expect(all.map(atStake)).toEqual(["80.00", null, "80.00", "5.00", null]);
});
