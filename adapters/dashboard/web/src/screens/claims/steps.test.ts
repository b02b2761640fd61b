import { describe, expect, test } from "vitest";
import { following, stepOf } from "./steps";

const claim = (state: string, more: object = {}) =>
  ({
    kind: "claim",
    frequency: "original",
    adjudications: [],
    state,
    ...more,
  }) as unknown as Parameters<typeof following>[0];

describe("the steps that can follow", () => {
  test.each([
    ["submitted", {}, "accept-clearinghouse accept-payer reject-clearinghouse reject-payer"],
    ["accepted_clearinghouse", {}, "accept-payer reject-payer"],
    ["accepted_payer", {}, "pay deny request_information forward reject-payer"],
    ["accepted_payer", { adjudications: [{}] }, "pay deny"],
    ["accepted_payer", { frequency: "void" }, ""],
    [
      "accepted_payer",
      { kind: "predetermination" },
      "estimate deny request_information forward reject-payer",
    ],
    ["paid", {}, "reverse take_back"],
    ["queued", {}, ""],
    ["rejected", {}, ""],
  ])("%s %j", (state, more, want) => {
    expect(
      following(claim(state, more))
        .map((s) => s.name)
        .join(" "),
    ).toBe(want);
  });

  test("each has a request", () => {
    const fields = { percent: "80", patient: "20", reason: " CO-96 ", code: "A7:164" };
    const sent = ["submitted", "accepted_payer", "paid"]
      .flatMap((state) => following(claim(state)))
      .map((s) => JSON.stringify(stepOf(s, fields)));
    expect(sent).toEqual([
      '{"accept":{"by":"clearinghouse"}}',
      '{"accept":{"by":"payer"}}',
      '{"reject":{"by":"clearinghouse","codes":["A7:164"]}}',
      '{"reject":{"by":"payer","codes":["A7:164"]}}',
      '{"pay":{"percent":80,"patient_percent":20}}',
      '{"deny":{"reason":"CO-96"}}',
      '{"request_information":{}}',
      '{"forward":{}}',
      '{"reject":{"by":"payer","codes":["A7:164"]}}',
      '{"reverse":{}}',
      '{"take_back":{}}',
    ]);
  });
});
