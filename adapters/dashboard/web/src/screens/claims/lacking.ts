// What a claim lacks before it can be sent, checked or reconciled, in words that say what to do.
import type { Schemas } from "../../api/client";
import { cents, dollars } from "../../ui/format";
import { stateName } from "../../ui/state";

type Claim = Schemas["Claim"];
type Summary = Schemas["ClaimSummary"];

/** unanswered returns the advice that no person has ignored yet. */
export const unanswered = (c: Claim): Schemas["ClaimAdvice"][] =>
  c.advice.filter((a) => !c.advice_ignored.some((i) => i.code === a.code));

/** unsent returns the attachments with images that the claim file would leave out. */
export const unsent = (c: Claim): Schemas["Attachment"][] =>
  c.attachments.filter(
    (a) => a.kind === "unsolicited" && a.state === "open" && a.documents.length > 0,
  );

const is = (c: Pick<Summary, "state">) => `This one is “${stateName(c.state)}”.`;

/** unsendable says why a claim is not sent with others; null if it is. */
export const unsendable = (c: Pick<Summary, "state">): string | null =>
  c.state === "validated" ? null : `Only a claim that is ready is sent. ${is(c)}`;

/** uncheckable says why a claim is not checked with others; null if it is. */
export const uncheckable = (c: Pick<Summary, "state">): string | null =>
  c.state === "draft" || c.state === "needs_attention"
    ? null
    : `Only a draft, or a claim that needs attention, is checked. ${is(c)}`;

/** unreconcilable says why a claim is not reconciled with others; null if it is. */
export function unreconcilable(c: Pick<Summary, "kind" | "state" | "open">): string | null {
  if (c.kind !== "claim" || !(c.state === "paid" || c.state === "denied"))
    return `Only a claim that its payer has decided is reconciled. ${is(c)}`;
  const open = cents(c.open ?? "0.00");
  if (open > 0)
    return `${dollars(c.open ?? "")} is open. Act on it, or accept it on the page of the claim.`;
  return open < 0
    ? "It is overpaid. Say on the page of the claim what becomes of the money."
    : null;
}
