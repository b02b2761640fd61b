// Words with a tone, such as the states of resources.
import { words } from "./format";

export type Tone = "plain" | "good" | "warn" | "bad" | "info" | "accent";

const tones: Record<string, Tone> = {
  // claims
  draft: "plain",
  validated: "info",
  needs_attention: "warn",
  queued: "info",
  submitted: "info",
  accepted_clearinghouse: "info",
  accepted_payer: "info",
  rejected: "bad",
  voided: "plain",
  paid: "good",
  denied: "bad",
  reconciled: "accent",
  returned: "good",
  // checks, schedules, remittances, requests
  running: "info",
  done: "good",
  canceled: "plain",
  completed: "good",
  active: "good",
  failed: "bad",
  pending: "info",
  inactive: "bad",
  balanced: "good",
  unbalanced: "warn",
  posted: "accent",
  needs_review: "warn",
  unmatched: "warn",
  matched: "good",
  other: "plain",
  applied: "good",
  ignored: "plain",
  replaced: "plain",
  discarded: "plain",
  forwarded: "plain",
  open: "info",
  overdue: "bad",
  closed: "plain",
  answered: "good",
  // deliveries, endpoints, users
  expired: "plain",
  delivered: "good",
  succeeded: "good",
  enabled: "good",
  disabled: "bad",
  waiting: "info",
  invited: "info",
  revoked: "plain",
  retired: "plain",
};

const names: Record<string, string> = {
  accepted_clearinghouse: "At clearinghouse",
  accepted_payer: "At payer",
  validated: "Ready to send",
  returned: "Estimate returned",
};

/** stateName returns a state in words. */
export function stateName(state: string): string {
  return names[state] ?? words(state);
}

/** Badge shows a word with a tone, so that what it says does not depend on color. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`badge tone-${tone}`}>{children}</span>;
}

/** State shows a state of a resource, in a more exact word or tone if there is one. */
export function State({
  value,
  tone = tones[value] ?? "plain",
  children,
}: {
  value: string;
  tone?: Tone | undefined;
  children?: string;
}) {
  return <Badge tone={tone}>{children ?? stateName(value)}</Badge>;
}
