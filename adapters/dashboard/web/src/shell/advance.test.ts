import { describe, expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { about, aim, type Begun, happened, outcome } from "./advance";

const before: Schemas["SandboxClock"] = {
  object: "sandbox_clock",
  now: "2026-12-01T00:00:00Z",
  real_now: "2026-11-26T12:00:00Z",
  running: false,
  state: "ready",
  target: null,
  blocked: null,
  next: null,
  pending: 0,
};
const begun: Begun = { before, newest: "evt_2" };

describe("what an advance does", () => {
  test.each([
    [{ by: "P14D" }, "December 15", "Advancing to December 15…"],
    [{ until: "idle" as const }, null, "Advancing until nothing is due…"],
    [{ until: "next" as const }, null, "Advancing…"],
    [undefined, null, "Advancing…"], // another person's
  ])("%o", (move, target, says) => {
    expect(aim(move, target)).toBe(says);
  });
});

describe("what happened", () => {
  const page = (next: string | null, ...ids: string[]) => ({
    data: ids.map((id) => ({ id })),
    next_cursor: next,
  });

  test("before the advance, at the same instant, does not count", () => {
    expect(happened(page(null, "evt_4", "evt_3", "evt_2", "evt_1"), begun).events).toEqual([
      { id: "evt_4" },
      { id: "evt_3" },
    ]);
  });

  test("a further page counts if all of the first belongs to the advance", () => {
    expect(happened(page("c", "evt_4", "evt_3"), begun).more).toBe(true);
    expect(happened(page("c", "evt_4", "evt_2"), begun).more).toBe(false);
    expect(happened(page(null, "evt_4"), begun).more).toBe(false);
  });

  test("without an advance nothing did", () => {
    expect(happened(page("c", "evt_4"), null)).toEqual({ events: [], more: false });
  });
});

describe("where an advance ended", () => {
  const none = { events: [], more: false };
  const idle: Begun = { ...begun, move: { until: "idle" } };
  const later: Begun = {
    ...idle,
    before: { ...before, next: { at: "2026-12-02T00:00:00Z", kind: "era", resource: null } },
  };
  test.each<[string, Begun, { events: object[]; more: boolean }, string]>([
    ["nothing was due", idle, none, "Nothing is due, so the clock did not move."],
    ["what was due is no event", later, none, "The clock shows noon. Nothing happened."],
    [
      "a quiet day",
      { ...begun, move: { by: "P1D" } },
      none,
      "The clock shows noon. Nothing happened.",
    ],
    ["another person's", begun, none, "The clock shows noon. Nothing happened."],
    ["one", idle, { events: [{}], more: false }, "The clock shows noon. 1 event happened."],
    [
      "many",
      idle,
      { events: [{}, {}], more: true },
      "The clock shows noon. More than 2 events happened.",
    ],
  ])("%s", (_, from, of, says) => {
    expect(outcome(from, "noon", of)).toBe(says);
  });
});

test.each([
  [{ claim_payment: { paid: "80.00" }, payer: { name: "Cedar" } }, "$80.00 from Cedar"],
  [{ payment: { total: "1234.50" }, payer: { name: "Cedar" } }, "$1,234.50 from Cedar"],
  [{ payer: { name: "Cedar" } }, "Cedar"],
  [{ payer: null }, ""],
  [{}, ""],
])("an event with %o", (data, says) => {
  expect(about({ type: "claim.paid", data } as Schemas["Event"])).toBe(says);
});

test("an acceptance says whose it is", () => {
  const data = { state: "accepted_clearinghouse", payer: { name: "Cedar" } };
  expect(about({ type: "claim.accepted", data } as Schemas["Event"])).toBe("At clearinghouse");
});
