import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { unaskable } from "./askable";

type State = Schemas["ClaimState"];

const claim = (state: State, more: Partial<Parameters<typeof unaskable>[0]> = {}) =>
  unaskable({ kind: "claim", frequency: "original", state, sent_at: null, ...more });

test("a payer is asked about a claim that a file has as it is", () => {
  const sent: State[] = [
    "submitted",
    "accepted_clearinghouse",
    "accepted_payer",
    "rejected",
    "paid",
    "denied",
    "reconciled",
  ];
  for (const state of sent) expect(claim(state)).toBeNull();
});

test("the others say what to do", () => {
  expect(claim("draft")).toContain("Send it, then ask.");
  expect(claim("queued")).toContain("Ask once it is sent.");
  expect(claim("needs_attention", { sent_at: "2026-01-02T03:04:05Z" })).toContain("came back");
  expect(claim("voided")).toContain("voided");
  expect(claim("submitted", { kind: "predetermination" })).toContain("estimate");
  expect(claim("submitted", { frequency: "void" })).toContain("claim that it voids");
});
