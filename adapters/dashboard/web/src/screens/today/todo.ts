// What needs a person, from the summary of the service.
import type { Schemas } from "../../api/client";
import type { Searches } from "../../api/searches";
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

/** waits says what a payer's claims wait for. */
const waits: Record<Summary["waiting"][number]["reason"], string> = {
  no_clearinghouse: "Ask the operator of this service to connect a clearinghouse.",
  no_route: "Ask the operator of this service for a connection to this payer.",
  paused: "The connection is paused: ask the operator of this service to enable it again.",
};

/** todo lists the work, the most urgent first. Each list begins with the oldest. */
export function todo(s: Summary, today: string): Work[] {
  const overdue = s.payer_requests.by_due_date.some((d) => d.due_date < today);
  const soon = s.payer_requests.by_due_date.some((d) => d.due_date < daysAfter(today, 7));
  const of = (state: Schemas["ClaimState"]) =>
    (s.claims as Partial<Record<Schemas["ClaimState"], number>>)[state] ?? 0;
  const work: Work[] = [];
  const add = (n: number | Schemas["BoundedCount"], { one, other, ...kind }: Kind) => {
    const { count, more } = typeof n === "number" ? { count: n, more: false } : n;
    if (count === 0) return;
    const shown = `${count.toLocaleString("en-US")}${more ? "+" : ""}`;
    work.push({ ...kind, count: shown, what: plural(count, one, other) });
  };
  const claims = (search: Searches["/claims"]): AnyTarget => ({
    to: "/claims",
    search: { ...search, order: "asc" },
  });
  add(s.payer_requests.open, {
    one: "payer request is open",
    other: "payer requests are open",
    how: "Send what the payer asks for.",
    target: { to: "/payer-requests" },
    ...due(overdue, soon),
  });
  add(of("rejected"), {
    one: "claim was rejected",
    other: "claims were rejected",
    how: "Correct and send again.",
    target: claims({ state: ["rejected"] }),
    urgency: "Not at the payer",
    tone: "bad",
  });
  add(s.payment_changed, {
    one: "claim has a payment that was taken back or changed",
    other: "claims have payments that were taken back or changed",
    how: "Enter the change in your books. Then reconcile again, or wait for the next remittance or replace the claim.",
    target: claims({ payment_changed: true }),
    urgency: "Payment changed",
    tone: "bad",
  });
  for (const w of s.waiting) {
    add(w.claims, {
      one: `claim to ${w.payer_name} waits for a connection`,
      other: `claims to ${w.payer_name} wait for a connection`,
      how: waits[w.reason],
      target: claims({ state: ["queued"], payer_id: w.payer_id }),
      urgency: "Not sent",
      tone: "bad",
    });
  }
  add(of("needs_attention"), {
    one: "claim has findings",
    other: "claims have findings",
    how: "Correct the marked fields.",
    target: claims({ state: ["needs_attention"] }),
    urgency: "Not sent",
    tone: "warn",
  });
  add(s.open_attachments, {
    one: "attachment is not sent",
    other: "attachments are not sent",
    how: "Send the images to the payer.",
    target: { to: "/attachments", search: { state: "open", order: "asc" } },
    urgency: "Not sent",
    tone: "warn",
  });
  add(s.eras.needs_attention, {
    one: "remittance needs a decision",
    other: "remittances need a decision",
    how: "Match, apply or ignore each claim, and ask the payer about differences.",
    target: { to: "/remittances", search: { needs_attention: true, order: "asc" } },
    urgency: "To finish",
    tone: "warn",
  });
  add(s.quarantine, {
    one: "file is in quarantine",
    other: "files are in quarantine",
    how: "Assign each to an office, or delete it.",
    target: { to: "/remittances/quarantine", search: { order: "asc" } },
    urgency: "Not applied",
    tone: "warn",
  });
  add(s.overpaid, {
    one: "claim is overpaid",
    other: "claims are overpaid",
    how: "Ask the payer how to return the money, then accept the amount.",
    target: claims({ overpaid: true }),
    urgency: "Refund due",
    tone: "warn",
  });
  add(s.webhook_endpoints.failing, {
    one: "webhook endpoint is failing",
    other: "webhook endpoints are failing",
    how: "Your software is not receiving events.",
    target: { to: "/developers/webhooks", search: { failing: true } },
    urgency: "Failing",
    tone: "warn",
  });
  add(of("denied"), {
    one: "claim was denied",
    other: "claims were denied",
    how: "Read the reasons, then replace the claim, or reconcile it.",
    target: claims({ state: ["denied"] }),
    urgency: "Denied",
    tone: "warn",
  });
  add(of("validated"), {
    one: "claim is ready to send",
    other: "claims are ready to send",
    how: "Send each to its payer.",
    target: claims({ state: ["validated"] }),
    urgency: "Ready",
    tone: "info",
  });
  add(s.eras.not_posted, {
    one: "remittance is not posted",
    other: "remittances are not posted",
    how: "Post when every claim is finished.",
    target: { to: "/remittances", search: { state: "needs_review", order: "asc" } },
    urgency: "To post",
    tone: "info",
  });
  add(of("paid"), {
    one: "paid claim is not reconciled",
    other: "paid claims are not reconciled",
    how: "Enter the payment in your books, then reconcile the claim.",
    target: claims({ state: ["paid"] }),
    urgency: "To reconcile",
    tone: "info",
  });
  add(of("draft"), {
    one: "draft",
    other: "drafts",
    how: "Finish and send.",
    target: claims({ state: ["draft"] }),
    urgency: "Draft",
    tone: "plain",
  });
  return work;
}

/** due returns the urgency of requests of which one is overdue, or due within a week. */
function due(overdue: boolean, soon: boolean): Pick<Work, "urgency" | "tone"> {
  if (overdue) return { urgency: "Overdue", tone: "bad" };
  return soon ? { urgency: "This week", tone: "warn" } : { urgency: "Open", tone: "info" };
}
