// What needs a person, from the summary of the service.
import type { Schemas } from "../../api/client";
import type { AnyTarget } from "../../shell/places";
import { daysAfter } from "../../ui/format";
import { plural } from "../../ui/plural";
import type { Tone } from "../../ui/state";

type Summary = Schemas["Summary"];

/** Work is a kind of work: how much of it there is, what to do, and the list that shows it. */
export type Work = {
  count: string;
  what: string;
  how: string;
  target: AnyTarget;
  urgency: string;
  tone: Tone;
};

/** Kind is a kind of work, in both forms of its noun. */
type Kind = Omit<Work, "count" | "what"> & { one: string; other: string };

/** todo lists the work, the most urgent first. */
export function todo(s: Summary, today: string): Work[] {
  const soon = daysAfter(today, 7);
  const due = (from: string, to: string) =>
    s.payer_requests.by_due_date
      .filter((d) => d.due_date >= from && d.due_date < to)
      .reduce((n, d) => n + d.count, 0);
  const of = (state: Schemas["ClaimState"]) =>
    (s.claims as Partial<Record<Schemas["ClaimState"], number>>)[state] ?? 0;
  const work: Work[] = [];
  const add = (n: number | Schemas["BoundedCount"], { one, other, ...kind }: Kind) => {
    const { count, more } = typeof n === "number" ? { count: n, more: false } : n;
    if (count === 0) return;
    const shown = `${count.toLocaleString("en-US")}${more ? "+" : ""}`;
    work.push({ ...kind, count: shown, what: plural(count, one, other) });
  };
  add(due("0000", today), {
    one: "payer request is overdue",
    other: "payer requests are overdue",
    how: "Send what the payer asked for.",
    target: { to: "/payer-requests" },
    urgency: "Overdue",
    tone: "bad",
  });
  add(of("rejected"), {
    one: "claim was rejected",
    other: "claims were rejected",
    how: "Correct and send again.",
    target: { to: "/claims", search: { state: ["rejected"] } },
    urgency: "Not at the payer",
    tone: "bad",
  });
  add(of("needs_attention"), {
    one: "claim has findings",
    other: "claims have findings",
    how: "Correct the marked fields.",
    target: { to: "/claims", search: { state: ["needs_attention"] } },
    urgency: "Not sent",
    tone: "warn",
  });
  add(s.eras.unfinished_claims, {
    one: "remittance claim to match or review",
    other: "remittance claims to match or review",
    how: "Match, apply or ignore each.",
    target: { to: "/remittances", search: { needs_attention: true } },
    urgency: "Unapplied payment",
    tone: "warn",
  });
  add(s.quarantine, {
    one: "file is in quarantine",
    other: "files are in quarantine",
    how: "Assign each to an office, or delete it.",
    target: { to: "/remittances/quarantine" },
    urgency: "Not applied",
    tone: "warn",
  });
  add(due(today, soon), {
    one: "payer request is due this week",
    other: "payer requests are due this week",
    how: "Answer before the due date.",
    target: { to: "/payer-requests" },
    urgency: "This week",
    tone: "info",
  });
  add(s.webhook_endpoints.failing, {
    one: "webhook endpoint is failing",
    other: "webhook endpoints are failing",
    how: "Your software is not receiving events.",
    target: { to: "/developers" },
    urgency: "Failing",
    tone: "warn",
  });
  add(of("denied"), {
    one: "claim was denied",
    other: "claims were denied",
    how: "Appeal, replace or reconcile.",
    target: { to: "/claims", search: { state: ["denied"] } },
    urgency: "Denied",
    tone: "warn",
  });
  add(of("validated"), {
    one: "claim is ready to send",
    other: "claims are ready to send",
    how: "Send each to its payer.",
    target: { to: "/claims", search: { state: ["validated"] } },
    urgency: "Ready",
    tone: "info",
  });
  add(s.eras.not_posted, {
    one: "remittance is not posted",
    other: "remittances are not posted",
    how: "Post when every claim is finished.",
    target: { to: "/remittances" },
    urgency: "To post",
    tone: "info",
  });
  add(of("paid"), {
    one: "paid claim is not reconciled",
    other: "paid claims are not reconciled",
    how: "Enter the payment in your books, then reconcile the claim.",
    target: { to: "/claims", search: { state: ["paid"] } },
    urgency: "To reconcile",
    tone: "info",
  });
  add(of("draft"), {
    one: "draft",
    other: "drafts",
    how: "Finish and send.",
    target: { to: "/claims", search: { state: ["draft"] } },
    urgency: "Draft",
    tone: "plain",
  });
  return work;
}
