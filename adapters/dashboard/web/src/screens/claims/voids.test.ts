import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { endsHere, payerVoids } from "./voids";

type Claim = Schemas["Claim"];

const claim = (state: Claim["state"], causes: string[], more: Partial<Claim> = {}) =>
  ({
    state,
    frequency: "original",
    sent_at: causes.length > 0 ? "2026-03-02T15:00:00Z" : null,
    batch_id: null,
    adjudications: [],
    history: causes.map((cause) => ({ cause })),
    ...more,
  }) as unknown as Claim;

test("a claim that no payer has ends here", () => {
  expect(endsHere(claim("validated", []))).toBe(true);
  expect(endsHere(claim("queued", [], { batch_id: "fil_1" }))).toBe(false);
  expect(endsHere(claim("rejected", ["send", "rejected"], { batch_id: "fil_1" }))).toBe(true);
  expect(endsHere(claim("validated", ["send", "not_found", "validation"]))).toBe(true);
  expect(endsHere(claim("queued", ["send", "file_rejected"]))).toBe(true);
  expect(endsHere(claim("queued", ["send", "rejected", "submit"], { batch_id: "fil_2" }))).toBe(
    false,
  );
  expect(endsHere(claim("submitted", ["send", "rejected", "submit", "send"]))).toBe(false);
});

test("of a replacement the payer has what it replaces", () => {
  const replaces = { frequency: "replacement" } as const;
  const causes = ["send", "payer_accepted", "replace", "send", "rejected"];
  expect(endsHere(claim("rejected", causes, replaces))).toBe(false);
  expect(payerVoids(claim("rejected", causes, replaces))).toBe(true);
  expect(payerVoids(claim("validated", causes, replaces))).toBe(true);
  expect(payerVoids(claim("draft", causes, replaces))).toBe(false);
  expect(payerVoids(claim("paid", ["send", "payment"]))).toBe(true);
  expect(payerVoids(claim("rejected", ["send", "rejected"], { frequency: "void" }))).toBe(false);
  expect(payerVoids(claim("rejected", ["send", "rejected"]))).toBe(false);
});
