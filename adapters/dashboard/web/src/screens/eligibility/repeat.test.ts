import { expect, test } from "vitest";
import { asking, unanswered, unrepeatable } from "./repeat";
import type { CheckResource } from "./standing";

const check = (more: Partial<CheckResource>) =>
  ({
    id: "elg_1",
    office_id: "off_1",
    state: "completed",
    outcome: "answered",
    payer: { id: "pyr_1", payer_id: "60054", name: "Aetna Dental" },
    request: {
      subscriber: { first_name: "Una", member_id: "W1" },
      patient: null,
      service_date: "2026-05-04",
      procedure_codes: ["D2740"],
      detail_level: "standard",
      office_npi: "1234567893",
    },
    ...more,
  }) as CheckResource;

test.each([
  [{}, null, null],
  [{ outcome: "payer_unavailable" }, null, "The payer has not answered it."],
  [{ outcome: "error" }, null, "The payer has not answered it."],
  [
    { outcome: "rejected" },
    "The payer rejected it. Open it and correct it.",
    "The payer has not answered it.",
  ],
  [
    { state: "pending", outcome: null },
    "The payer is being asked.",
    "The payer has not answered it.",
  ],
] as const)("%j is not asked again: %s, is not printed: %s", (more, again, printed) => {
  expect(unrepeatable(check(more))).toBe(again);
  expect(unanswered(check(more))).toBe(printed);
});

test.each([
  ["2026-05-04", "2026-05-04"],
  ["2026-05-01", "2026-05-04"],
  ["2026-05-05", null], // the payer is asked about today
])("on %s, the day of the question is %s", (today, day) => {
  const { office_npi: _, ...request } = check({}).request;
  expect(asking(check({}), today)).toEqual({
    office_id: "off_1",
    payer_id: "pyr_1",
    ...request,
    service_date: day,
  });
});
