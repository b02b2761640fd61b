import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { todo } from "./todo";

const none = { count: 0, more: false };
const empty = {
  payer_requests: { by_due_date: [] },
  claims: {},
  eras: { unfinished_claims: none, not_posted: none },
  quarantine: none,
  webhook_endpoints: { failing: 0 },
};
const today = "2026-01-09";
const work = (change: object) =>
  todo({ ...empty, ...change } as unknown as Schemas["Summary"], today);

test("nothing is to do", () => {
  expect(work({})).toEqual([]);
});

test("a payer request is overdue from the day after its date, and due within a week", () => {
  const by_due_date = ["2026-01-08", "2026-01-09", "2026-01-15", "2026-01-16"].map((due_date) => ({
    due_date,
    count: 1,
  }));
  expect(work({ payer_requests: { by_due_date } }).map((w) => `${w.count} ${w.what}`)).toEqual([
    "1 payer request is overdue",
    "2 payer requests are due this week",
  ]);
});

test("the most urgent work comes first, each with its list", () => {
  const found = work({
    claims: { draft: 1, paid: 2, rejected: 1, denied: 1 },
    quarantine: { count: 1, more: false },
  });
  expect(found.map((w) => w.what)).toEqual([
    "claim was rejected",
    "file is in quarantine",
    "claim was denied",
    "paid claims are not reconciled",
    "draft",
  ]);
  expect(found[0]?.target).toEqual({ to: "/claims", search: { state: ["rejected"] } });
});

test("a count that was cut short says so", () => {
  const unfinished_claims = { count: 10_000, more: true };
  expect(work({ eras: { unfinished_claims, not_posted: none } })).toMatchObject([
    { count: "10,000+", what: "remittance claims to match or review" },
  ]);
});
