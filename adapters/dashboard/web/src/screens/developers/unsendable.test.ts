import { expect, test } from "vitest";
import { unsendable } from "./unsendable";

test.each([
  [{ status: "enabled", event_types: null }, null],
  [{ status: "enabled", event_types: ["era.received"] }, null],
  [
    { status: "enabled", event_types: ["claim.status_updated"] },
    "Its endpoint does not receive this type any more.",
  ],
  [{ status: "disabled", event_types: null }, "Its endpoint is disabled or deleted."],
  [undefined, "Its endpoint is disabled or deleted."],
] as const)("an event goes to an endpoint %j: %s", (to, why) => {
  const endpoint = to && { ...to, event_types: to.event_types && [...to.event_types] };
  expect(unsendable(endpoint, "era.received")).toBe(why);
});
