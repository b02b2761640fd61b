import { describe, expect, test } from "vitest";
import type { Schemas } from "../api/client";
import { about, aim, type Begun, happened, outcome } from "./advance";

const at = (
  now: string,
  running = false,
  real = "2026-11-26T12:00:00Z",
): Schemas["SandboxClock"] => ({
  object: "sandbox_clock",
  now,
  real_now: real,
  running,
  state: "ready",
  target: null,
  blocked: null,
  next: null,
  pending: 0,
});
const begun: Begun = { before: at("2026-12-01T00:00:00Z"), newest: "evt_2" };
const later = at("2026-12-15T00:00:00Z");

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
  test.each<[string, Begun, Schemas["SandboxClock"], { events: object[]; more: boolean }, string]>([
    ["nothing was due", begun, begun.before, none, "Nothing is due, so the clock did not move."],
    ["a quiet day", begun, later, none, "The clock shows noon. Nothing happened."],
    ["one", begun, later, { events: [{}], more: false }, "The clock shows noon. 1 event happened."],
    [
      "many",
      begun,
      later,
      { events: [{}, {}], more: true },
      "The clock shows noon. More than 2 events happened.",
    ],
    [
      "a clock that ran on by itself",
      { ...begun, before: at("2026-11-26T12:00:00Z", true) },
      at("2026-11-26T12:01:00Z", true, "2026-11-26T12:01:00Z"),
      none,
      "Nothing is due, so the clock did not move.",
    ],
    [
      "a clock that runs, a day ahead",
      { ...begun, before: at("2026-11-26T12:00:00Z", true) },
      at("2026-11-27T12:01:00Z", true, "2026-11-26T12:01:00Z"),
      none,
      "The clock shows noon. Nothing happened.",
    ],
  ])("%s", (_, from, after, of, says) => {
    expect(outcome(from, after, "noon", of)).toBe(says);
  });
});

test.each([
  [{ claim_payment: { paid: "80.00" }, payer: { name: "Cedar" } }, "$80.00 from Cedar"],
  [{ payment: { total: "1234.50" }, payer: { name: "Cedar" } }, "$1,234.50 from Cedar"],
  [{ payer: { name: "Cedar" } }, "Cedar"],
  [{ payer: null }, ""],
  [{}, ""],
])("an event with %o", (data, says) => {
  expect(about({ data } as Schemas["Event"])).toBe(says);
});
