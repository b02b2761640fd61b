import { expect, test } from "vitest";
import { uncheckable, unreconcilable, unsendable } from "./lacking";

test("only a claim that is ready is sent with others", () => {
  expect(unsendable({ state: "validated" })).toBeNull();
  expect(unsendable({ state: "draft" })).toBe(
    "Only a claim that is ready is sent. This one is “Draft”.",
  );
});

test("drafts and claims with findings are checked with others", () => {
  expect(uncheckable({ state: "draft" })).toBeNull();
  expect(uncheckable({ state: "needs_attention" })).toBeNull();
  expect(uncheckable({ state: "paid" })).toContain("“Paid”");
});

test("a decided claim is reconciled with others only if nothing is open", () => {
  const claim = (state: "paid" | "denied" | "submitted", open: string | null) =>
    unreconcilable({ kind: "claim", state, open });
  expect(claim("paid", "0.00")).toBeNull();
  expect(claim("denied", "0.00")).toBeNull();
  expect(claim("denied", "1295.00")).toContain("$1,295.00 is open.");
  expect(claim("paid", "-5.00")).toContain("overpaid");
  expect(claim("submitted", "180.00")).toContain("“Submitted”");
  expect(unreconcilable({ kind: "predetermination", state: "paid", open: null })).not.toBeNull();
});
