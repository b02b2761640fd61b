// The form of an attachment rule, and how a denial fills it.
import type { Schemas } from "../../api/client";
import { cents } from "../../ui/format";

/** RuleForm is a rule as its form holds it. */
export type RuleForm = {
  payer: Schemas["PayerSummary"] | null;
  codes: string;
  needs: Schemas["AttachmentNeed"][];
  when: Schemas["AttachmentRuleWhen"];
  note: string;
};

/** asked says which words of a payer's remark ask for what. */
const asked: readonly (readonly [RegExp, Schemas["AttachmentNeed"]])[] = [
  [/x-?rays?|radiograph|film/i, "xray"],
  [/periodontal|perio chart|pocket/i, "periodontal_chart"],
  [/patholog/i, "pathology_report"],
  [/operative|surg/i, "operative_report"],
  [/narrative|explanation|necessity/i, "narrative"],
  [/primary payer|other payer|explanation of benefits/i, "primary_decision"],
  [/photo/i, "photo"],
];

/** ruleOf fills the form from a claim that a payer refused: the procedures that it did not pay, and what its remarks
 *  ask for. Nothing of the patient is in it. */
export function ruleOf(c: Schemas["Claim"]): RuleForm {
  const refused = c.adjudications
    .filter((a) => a.cancelled_by === null)
    .flatMap((a) => a.lines.map((l) => ({ l, remarks: [...l.remark_labels, ...a.remark_labels] })))
    .filter(({ l }) => cents(l.not_paid) !== 0);
  const lines = refused.length > 0 ? refused.map(({ l }) => l) : c.lines;
  const words = refused.flatMap(({ l, remarks }) => [
    ...remarks.map((r) => r.label),
    ...l.adjustments.map((a) => a.label),
  ]);
  const reasons = [...new Set(refused.flatMap(({ l }) => l.adjustments.map((a) => a.label)))];
  return {
    payer: c.payer,
    codes: [...new Set(lines.map((l) => l.procedure_code).filter(Boolean))].join(", "),
    needs: asked.filter(([form]) => words.some((w) => form.test(w))).map(([, need]) => need),
    when: c.coverage === "primary" ? "initial" : "secondary",
    note: reasons.length > 0 ? `Denied before: ${reasons.join("; ")}.`.slice(0, 500) : "",
  };
}
