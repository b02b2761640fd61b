import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { also } from "./also";

const empty = {
  claims: {},
  waiting: [],
  webhook_endpoints: { failing: 0 },
};
const work = (change: object) => also({ ...empty, ...change } as unknown as Schemas["Summary"]);

test("nothing is to do", () => {
  expect(work({})).toEqual([]);
});

test("what is no task leads to a list that begins with the oldest, the most urgent first", () => {
  const one = { count: 1, more: false };
  const waiting = [{ payer_id: "pyr_1", payer_name: "Cedar", reason: "paused", claims: one }];
  const found = work({
    claims: { draft: 1, paid: 2, validated: 1 },
    waiting,
    webhook_endpoints: { failing: 1 },
  });
  expect(found.map((w) => [w.count, w.what, w.target])).toEqual([
    [
      "1",
      "claim to Cedar waits for a connection",
      { to: "/claims", search: { state: ["queued"], payer_id: "pyr_1", order: "asc" } },
    ],
    ["1", "webhook endpoint is failing", { to: "/developers/webhooks", search: { failing: true } }],
    [
      "1",
      "claim is ready to send",
      { to: "/claims", search: { state: ["validated"], order: "asc" } },
    ],
    [
      "2",
      "paid claims are not reconciled",
      { to: "/claims", search: { state: ["paid"], order: "asc" } },
    ],
  ]);
});

test("claims that wait for the operator say for what", () => {
  const claims = { count: 2, more: false };
  const waiting = [{ payer_id: "pyr_1", payer_name: "Cedar", reason: "office", claims }];
  expect(work({ waiting })).toMatchObject([
    {
      what: "claims to Cedar wait for the verification of the office",
      how: "Ask the operator of this service to verify the office.",
    },
  ]);
});

test("a count that was cut short says so", () => {
  const claims = { count: 10_000, more: true };
  const waiting = [{ payer_id: "pyr_1", payer_name: "Cedar", reason: "paused", claims }];
  expect(work({ waiting })).toMatchObject([
    { count: "10,000+", what: "claims to Cedar wait for a connection" },
  ]);
});
