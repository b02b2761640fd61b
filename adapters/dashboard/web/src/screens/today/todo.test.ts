import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { todo } from "./todo";

const none = { count: 0, more: false };
const empty = {
  payer_requests: { open: none, by_due_date: [] },
  claims: {},
  overpaid: none,
  payment_changed: none,
  waiting: [],
  eras: { needs_attention: none, not_posted: none },
  quarantine: none,
  open_attachments: none,
  webhook_endpoints: { failing: 0 },
};
const today = "2026-01-09";
const work = (change: object) =>
  todo({ ...empty, ...change } as unknown as Schemas["Summary"], today);

test("nothing is to do", () => {
  expect(work({})).toEqual([]);
});

test.each([
  ["2026-01-08", "Overdue"],
  ["2026-01-09", "This week"],
  ["2026-01-15", "This week"],
  ["2026-01-16", "Open"],
  [null, "Open"],
])("an open request that is due on %s is work: %s", (due_date, urgency) => {
  const by_due_date = due_date ? [{ due_date, count: 1 }] : [];
  const open = { count: 1, more: false };
  expect(work({ payer_requests: { open, by_due_date } })).toMatchObject([
    { what: "payer request is open", urgency },
  ]);
});

test("what a next step asks of a person is work, with a list that begins with the oldest", () => {
  const one = { count: 1, more: false };
  const waiting = [{ payer_id: "pyr_1", payer_name: "Cedar", reason: "paused", claims: one }];
  const webhook_endpoints = { failing: 1 };
  const found = work({
    payment_changed: one,
    overpaid: one,
    open_attachments: one,
    waiting,
    webhook_endpoints,
  });
  expect(found.map((w) => [w.what, w.target])).toEqual([
    [
      "claim has a payment that was taken back or changed",
      { to: "/claims", search: { payment_changed: true, order: "asc" } },
    ],
    [
      "claim to Cedar waits for a connection",
      { to: "/claims", search: { state: ["queued"], payer_id: "pyr_1", order: "asc" } },
    ],
    ["attachment is not sent", { to: "/attachments", search: { state: "open", order: "asc" } }],
    ["claim is overpaid", { to: "/claims", search: { overpaid: true, order: "asc" } }],
    ["webhook endpoint is failing", { to: "/developers/webhooks", search: { failing: true } }],
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
  expect(found[0]?.target).toEqual({
    to: "/claims",
    search: { state: ["rejected"], order: "asc" },
  });
});

test("a count that was cut short says so", () => {
  const needs_attention = { count: 10_000, more: true };
  expect(work({ eras: { needs_attention, not_posted: none } })).toMatchObject([
    { count: "10,000+", what: "remittances need a decision" },
  ]);
});
