import { expect, test } from "vitest";
import { type Appeal, standing, until } from "./words";

const appeal = {
  deadline: { on: "2026-09-06", days: 180, source: "proposed", stated: null },
  due_on: "2026-09-06",
  sent: null,
  decided: null,
} as unknown as Appeal;

test("a deadline says its day and who says so", () => {
  expect(until(appeal.deadline)).toBe("Sep 6, 2026 (proposed: confirm it with the payer)");
  expect(until({ on: null, days: 90, source: "payer", stated: "page 12" })).toBe(
    "90 days (by the payer’s limit, page 12)",
  );
  expect(until({ on: null, days: null, source: "unknown", stated: null })).toBe("Unknown");
});

test("an appeal says how it stands", () => {
  expect(standing(appeal)).toContain("To be sent by Sep 6, 2026");
  const sent = {
    ...appeal,
    due_on: "2026-05-09",
    sent: { on: "2026-03-10", by: "portal", reference: null },
  } as Appeal;
  expect(standing(sent)).toBe(
    "Sent on Mar 10, 2026 by payer’s portal. The decision is due on May 9, 2026.",
  );
  expect(standing({ ...sent, decided: { on: "2026-04-02", outcome: "upheld" } })).toBe(
    "The payer stays with its decision (Apr 2, 2026)",
  );
});
