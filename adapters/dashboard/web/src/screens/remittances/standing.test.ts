import { describe, expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { finished, money, opposite, standing, underway, unfinished, unpostable } from "./standing";

type Head = Schemas["ERASummary"];

const era = (change: object, progress: object = {}): Head =>
  ({
    state: "needs_review",
    balanced: true,
    acknowledged: null,
    correction: null,
    counts: { claims: 5 },
    progress: { applied: 5, ignored: 0, forwarded: 0, needs_review: 0, unmatched: 0, ...progress },
    ...change,
  }) as unknown as Head;

test("a claim is finished, waits for a person, or is under way", () => {
  const e = era({}, { applied: 1, ignored: 1, needs_review: 1, unmatched: 1 });
  expect([finished(e), unfinished(e), underway(e)]).toEqual([2, 2, 1]);
  expect(underway(era({ counts: { claims: 0 } }))).toBe(0); // never less than none
});

describe("a remittance", () => {
  test.each([
    ["Posted", era({ state: "posted" }, { unmatched: 1 })],
    ["Replaced", era({ state: "replaced" })],
    ["Discarded", era({ state: "discarded" })],
    ["Correction to decide", era({ correction: { undecided: true } }, { unmatched: 1 })],
    ["To finish", era({}, { applied: 4, unmatched: 1 })],
    ["Being applied", era({}, { applied: 4 })],
    ["Ready to post", era({})],
    ["Does not add up", era({ balanced: false })],
    ["Acknowledged", era({ balanced: false, acknowledged: { note: "asked" } })],
  ])("is %s", (word, e) => {
    expect(standing(e)[0]).toBe(word);
  });
});

test("only a remittance that is ready is posted with others", () => {
  expect(unpostable(era({}))).toBeNull();
  expect(unpostable(era({ balanced: false, acknowledged: { note: "asked" } }))).toBeNull();
  expect(unpostable(era({ balanced: false }))).toContain("acknowledge the difference");
  expect(unpostable(era({}, { applied: 3, unmatched: 2 }))).toBe("2 claims need a decision first.");
  expect(unpostable(era({ state: "posted" }))).toBe("It is posted already.");
  expect(unpostable(era({ correction: { undecided: true } }, { unmatched: 1 }))).toContain(
    "correction",
  );
});

test.each([
  ["1.15", "-1.15"],
  ["-20.00", "20.00"],
  ["0.00", "0.00"],
])("the opposite of %s is %s", (amount, want) => {
  expect(opposite(amount)).toBe(want);
});

test("cents become an amount without a negative zero", () => {
  expect([-0, 5, -5, 123456].map(money)).toEqual(["0.00", "0.05", "-0.05", "1234.56"]);
});
