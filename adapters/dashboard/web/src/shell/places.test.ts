import { expect, test } from "vitest";
import { type Place, screenOf, type Target } from "./places";

const id = (kind: string) => `${kind}_01JGZ8Y6T4M3N2P1Q0R9S8T7V6`;

test("each resource with a screen leads to it", () => {
  expect(screenOf(id("clm"))).toEqual({ to: `/claims/${id("clm")}` });
  expect(screenOf(id("whe"))).toEqual({ to: `/developers/webhooks/${id("whe")}` });
  expect(screenOf(id("fee"))).toEqual({ to: `/settings/fees/${id("fee")}` });
  expect(screenOf(id("bat"))).toEqual({ to: `/schedule/${id("bat")}` });
  expect(screenOf(id("pat"))).toEqual({ to: `/patients/${id("pat")}` });
});

test.each([
  id("key"),
  "clm_1",
  `${id("clm")}0`,
  id("CLM"),
  `/claims/${id("clm")}`,
  "constructor",
  "",
])("%j has no screen", (other) => {
  expect(screenOf(other)).toBeUndefined();
});

// The compiler refuses each line below a comment: without the error, tsc fails.
test("a typo in a link does not compile", () => {
  const targets: Target[] = [];
  const to = <P extends Place>(target: Target<P>) => targets.push(target as Target);
  to({ to: "/claims", search: { state: ["paid"], open: true } });
  to({ to: "/claims/clm_1/edit" });
  // @ts-expect-error no screen has this path
  to({ to: "/claim/clm_1" });
  // @ts-expect-error no filter has this name
  to({ to: "/claims", search: { state: ["paid"], stat: ["paid"] } });
  // @ts-expect-error no claim has this state
  to({ to: "/claims", search: { state: ["payed"] } });
  // @ts-expect-error a flag is not a text
  to({ to: "/remittances", search: { needs_attention: "true" } });
  // @ts-expect-error this filter is of another list
  to({ to: "/eligibility", search: { claim_id: "clm_1" } });
  // @ts-expect-error filters are not in the path
  to({ to: "/claims?state=paid" });
  expect(targets).toHaveLength(8);
});
