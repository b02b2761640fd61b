import { describe, expect, test } from "vitest";
import {
  adviceOf,
  dayOf,
  dayOfAll,
  type Item,
  inOrder,
  mayRepeat,
  saidOf,
  undecided,
  unretried,
} from "./items";

const zone = "America/New_York";

/** item returns an answered item of a patient who is covered. */
function item(of: Partial<Item> = {}): Item {
  const person = { first_name: "Ana", last_name: "Ruiz", date_of_birth: "1980-04-30" };
  return {
    id: "eli_01JGZ8Y6T4M3N2P1Q0R9S8T7V6",
    item_id: "line-2",
    object: "eligibility_batch_item",
    batch_id: "bat_01JGZ8Y6T4M3N2P1Q0R9S8T7V6",
    state: "completed",
    outcome: "answered",
    needs_a_person: false,
    appointment_at: "2026-12-01T13:30:00Z",
    appointment_id: null,
    eligibility_id: null,
    patient_id: null,
    status: "active",
    verdict: { standing: "covered", text: "Covered. $900.00 is left.", also: ["More."] },
    maximum_remaining: null,
    deductible_remaining: null,
    attempts: 1,
    next_attempt_at: null,
    completed_at: null,
    errors: [],
    request: { subscriber: person },
    ...of,
  } as Item;
}

test("what needs a person comes first, and then the time of the appointment counts", () => {
  const last = item({ item_id: "none", appointment_at: null });
  const late = item({ item_id: "late", appointment_at: "2026-12-01T10:00:00-05:00" });
  const early = item({ item_id: "early", appointment_at: "2026-12-01T14:30:00Z" });
  const wrong = item({ item_id: "wrong", appointment_at: null, needs_a_person: true });
  const ids = inOrder([last, late, wrong, early]).map((i) => i.item_id);
  expect(ids).toEqual(["wrong", "early", "late", "none"]);
});

test("the day of a list is that of its appointments, if it is one", () => {
  const late = item({ appointment_at: "2026-12-02T04:30:00Z" }); // still December 1 at the office
  const asked = { ...item().request, service_date: "2026-12-01" } as Item["request"];
  const untimed = item({ appointment_at: null, request: asked });
  const next = item({ appointment_at: "2026-12-02T13:30:00Z" });
  const unknown = item({ appointment_at: null });
  expect(dayOf(late, zone)).toBe("2026-12-01");
  expect(dayOfAll([item(), late, untimed], zone)).toBe("2026-12-01");
  expect(dayOfAll([item(), next], zone)).toBe("");
  expect(dayOfAll([item(), unknown], zone)).toBe("");
  expect(dayOfAll([unknown], zone)).toBe("");
  expect(dayOfAll([], zone)).toBe("");
  const wrong = { ...item().request, service_date: "soon" } as Item["request"];
  expect(dayOfAll([item({ appointment_at: null, request: wrong })], zone)).toBe("");
});

describe("what an item comes to", () => {
  test("is the first sentence of its verdict, and the rest", () => {
    expect(saidOf(item(), zone)).toEqual({
      word: "Covered",
      tone: "good",
      more: "$900.00 is left.",
    });
  });

  test("has what to do after a rejection", () => {
    const verdict = {
      standing: "not_known" as const,
      text: "Not known yet. The payer does not know the member ID.",
      also: ["Compare it with the card."],
    };
    const rejected = item({ outcome: "rejected", needs_a_person: true, status: null, verdict });
    expect(saidOf(rejected, zone)).toEqual({
      word: "Not known yet",
      tone: "warn",
      more: "The payer does not know the member ID. Compare it with the card.",
    });
    expect(adviceOf(rejected)).toBe("");
  });

  test("says what is wrong with a request", () => {
    const errors = [{ field: "payer_id", code: "not_allowed" as const, message: "No route." }];
    expect(saidOf(item({ outcome: "invalid", verdict: null, errors }), zone).more).toBe(
      "No route.",
    );
  });

  test("waits for the payer", () => {
    const waits = item({ state: "pending", outcome: null, verdict: null });
    expect(saidOf(waits, zone).more).toBe("");
    const again = { ...waits, next_attempt_at: "2026-12-01T13:35:00Z" };
    expect(saidOf(again, zone).more).toMatch(/asked again at 8:35\sAM\.$/);
  });
});

test("what a person does depends on why it needs one", () => {
  const advice = (of: Partial<Item>) => adviceOf(item({ needs_a_person: true, ...of }));
  expect(adviceOf(item())).toBe("");
  expect(advice({})).toMatch("other details on file");
  expect(advice({ status: "inactive" })).toMatch("another plan");
  expect(advice({ status: "unknown" })).toMatch("by phone");
  expect(advice({ outcome: "error", status: null })).toMatch("Ask again");
  expect(advice({ outcome: "invalid", status: null })).toMatch("Correct it");
});

test("only what a payer did not answer is asked again as it is", () => {
  const may = (of: Partial<Item>) => mayRepeat(item({ needs_a_person: true, ...of }));
  expect(may({ outcome: "payer_unavailable", status: null })).toBe(true);
  expect(may({ status: "unknown" })).toBe(true);
  expect(may({ outcome: "rejected", status: null })).toBe(false);
  expect(may({ status: "inactive" })).toBe(false);
});

const noResponse: Partial<Item> = { outcome: "payer_unavailable", needs_a_person: true };
const nothing = "Nothing is to do about the patient.";

test.each([
  ["answered", { needs_a_person: false }, "The payer has answered.", nothing],
  ["no response", noResponse, null, null],
  [
    "pending",
    { state: "pending", outcome: null, needs_a_person: false },
    "The payer is being asked.",
    nothing,
  ],
  [
    "rejected",
    { outcome: "rejected", needs_a_person: true },
    "The same question would have the same answer. Correct it and ask again.",
    null,
  ],
  ["decided", { ...noResponse, settled: {} }, null, "It is decided."],
] as [string, Partial<Item>, string | null, string | null][])(
  "with many others, %s",
  (_, more, again, decided) => {
    const of = item(more);
    expect(unretried(of, { state: "done" })).toBe(again);
    expect(undecided(of)).toBe(decided);
    expect(unretried(of, { state: "canceled" })).toBe("The schedule is canceled.");
  },
);
