import { expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { ruleOf } from "./rule-form";

const line = (procedure_code: string, not_paid: string, label: string, remark?: string) => ({
  procedure_code,
  not_paid,
  adjustments: [{ label }],
  remark_labels: remark ? [{ code: "N1", label: remark }] : [],
});

const claim = (lines: object[], more: object = {}) =>
  ({
    payer: { id: "pyr_1", payer_id: "CHTEST", name: "Molar Test Payer" },
    coverage: "primary",
    lines: [{ procedure_code: "D2740" }, { procedure_code: "D1110" }],
    adjudications: [{ cancelled_by: null, remark_labels: [], lines }],
    ...more,
  }) as unknown as Schemas["Claim"];

test("a denial fills the rule with what was refused and what the payer asks for", () => {
  const form = ruleOf(
    claim([
      line("D2740", "800.00", "Information is missing", "Send a radiograph."),
      line("D1110", "0.00", "Paid"),
    ]),
  );
  expect(form).toEqual({
    payer: { id: "pyr_1", payer_id: "CHTEST", name: "Molar Test Payer" },
    codes: "D2740",
    needs: ["xray"],
    when: "initial",
    note: "Denied before: Information is missing.",
  });
});

test("a refusal on no line is about all of them", () => {
  const form = ruleOf(claim([], { coverage: "secondary" }));
  expect([form.codes, form.needs, form.when, form.note]).toEqual([
    "D2740, D1110",
    [],
    "secondary",
    "",
  ]);
});
