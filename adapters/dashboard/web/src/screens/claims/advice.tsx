// What the payer wants to see with a claim: shown on its page, and asked about before it is sent.
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { Button, ButtonLink } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { Cancel, Modal } from "../../ui/dialog";
import { AreaField } from "../../ui/form";
import { day } from "../../ui/format";
import { Go } from "../../ui/link";
import { Section } from "../../ui/page";

type Claim = Schemas["Claim"];
type One = Schemas["ClaimAdvice"];

/** Ignored has the reasons for which a claim goes without what its payer wants to see, by the codes. */
export type Ignored = NonNullable<Schemas["SubmitRequest"]["advice_ignored"]>;

/** lacks says in a word or two what a claim was sent without, or with. */
export const lacks: Record<Schemas["AdviceCode"], string> = {
  xray_missing: "without an X-ray",
  periodontal_chart_missing: "without a periodontal chart",
  pathology_report_missing: "without a pathology report",
  operative_report_missing: "without an operative report",
  narrative_missing: "without a narrative",
  primary_decision_missing: "without the decision of the payer before",
  photo_missing: "without an intraoral photo",
  documents_unwanted: "with documents that the payer does not want",
};

/** Source says whose rule an advice comes from. */
function Source({ rule }: { rule: One["rule"] }) {
  if (rule.origin === "organization")
    return <Go to="/settings/attachment-rules">One of your attachment rules</Go>;
  return (
    <span>
      {rule.source}
      {rule.read_on && `, read on ${day(rule.read_on)}`}
    </span>
  );
}

/** AdviceList lists advice with what to do. */
function AdviceList({ of: claim }: { of: Claim }) {
  const ignored = new Map(claim.advice_ignored.map((i) => [i.code, i]));
  return (
    <ul className="plain findings">
      {claim.advice.map((a) => {
        const i = ignored.get(a.code);
        return (
          <li key={a.code}>
            <p className="strong wrap-anywhere">{a.message}</p>
            {i ? (
              <p className="muted wrap-anywhere">
                Ignored by <Changer by={i.by} />: {i.reason}
              </p>
            ) : (
              <p className="muted">{a.fix}</p>
            )}
            <p className="muted small">
              <Source rule={a.rule} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

/** Advice shows on the page of a claim what its payer wants to see. */
export function Advice({ claim, may }: { claim: Claim; may: boolean }) {
  if (claim.advice.length === 0) return null;
  return (
    <Section
      title="What the payer wants to see"
      actions={
        may &&
        claim.advice.some((a) => a.code !== "documents_unwanted") && (
          <ButtonLink to="/attachments/new" search={{ claim_id: claim.id }}>
            Add what is missing
          </ButtonLink>
        )
      }
    >
      <AdviceList of={claim} />
    </Section>
  );
}

/** AskAdvice asks before a claim is sent without what its payer wants to see, and why. */
export function AskAdvice({
  claim,
  advice,
  open,
  onOpenChange,
  busy,
  send,
}: {
  claim: Claim;
  advice: readonly One[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
  busy: boolean;
  send: (ignored: Ignored) => void;
}) {
  const [reasons, setReasons] = useState<Record<string, string>>({});
  return (
    <Modal
      title="Send without what the payer wants to see?"
      open={open}
      onOpenChange={onOpenChange}
    >
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          send(Object.fromEntries(advice.map((a) => [a.code, (reasons[a.code] ?? "").trim()])));
        }}
      >
        {advice.map((a) => (
          <div key={a.code} className="stack-s">
            <p className="strong wrap-anywhere">{a.message}</p>
            <p className="muted">{a.fix}</p>
            <AreaField
              label="Why it goes without"
              hint="The history of the claim keeps it with your name."
              rows={2}
              required
              maxLength={400}
              value={reasons[a.code] ?? ""}
              onChange={(v) => setReasons({ ...reasons, [a.code]: v })}
            />
          </div>
        ))}
        <div className="dialog-actions">
          <Cancel />
          <ButtonLink to="/attachments/new" search={{ claim_id: claim.id }}>
            Add what is missing
          </ButtonLink>
          <Button type="submit" look="primary" busy={busy}>
            Send without it
          </Button>
        </div>
      </form>
    </Modal>
  );
}
