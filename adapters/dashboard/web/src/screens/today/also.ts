// What waits for a person and is no task, from the summary of the service.
import type { Schemas } from "../../api/client";
import type { Searches } from "../../api/searches";
import type { AnyTarget } from "../../shell/places";
import { plural } from "../../ui/plural";

type Summary = Schemas["Summary"];

/** Also is work that is no task: how much of it there is, what to do, and the list that shows it. */
export type Also = { count: string; what: string; how: string; target: AnyTarget };

type Reason = Summary["waiting"][number]["reason"];

/** waits says what to do about what a payer's claims wait for. */
const waits: Record<Reason, string> = {
  no_clearinghouse: "Ask the operator of this service to connect a clearinghouse.",
  no_route: "Ask the operator of this service for a connection to this payer.",
  paused: "The connection is paused: ask the operator of this service to enable it again.",
  restore: "The service was restored from a backup: ask its operator when claims go out again.",
  office: "Ask the operator of this service to verify the office.",
};

/** awaited is what they wait for. */
function awaited(reason: Reason): string {
  if (reason === "office") return "the verification of the office";
  return reason === "restore" ? "the end of a restore" : "a connection";
}

/** also lists it, the most urgent first. Each list begins with the oldest. */
export function also(s: Summary): Also[] {
  const work: Also[] = [];
  const add = (
    n: number | Schemas["BoundedCount"],
    one: string,
    other: string,
    how: string,
    target: AnyTarget,
  ) => {
    const { count, more } = typeof n === "number" ? { count: n, more: false } : n;
    if (count === 0) return;
    const shown = `${count.toLocaleString("en-US")}${more ? "+" : ""}`;
    work.push({ count: shown, what: plural(count, one, other), how, target });
  };
  const claims = (search: Searches["/claims"]): AnyTarget => ({
    to: "/claims",
    search: { ...search, order: "asc" },
  });
  const of = (state: Schemas["ClaimState"]) =>
    (s.claims as Partial<Record<Schemas["ClaimState"], number>>)[state] ?? 0;
  for (const w of s.waiting) {
    add(
      w.claims,
      `claim to ${w.payer_name} waits for ${awaited(w.reason)}`,
      `claims to ${w.payer_name} wait for ${awaited(w.reason)}`,
      waits[w.reason],
      claims({ state: ["queued"], payer_id: w.payer_id }),
    );
  }
  add(
    s.webhook_endpoints.failing,
    "webhook endpoint is failing",
    "webhook endpoints are failing",
    "Your software is not receiving events.",
    { to: "/developers/webhooks", search: { failing: true } },
  );
  add(
    of("validated"),
    "claim is ready to send",
    "claims are ready to send",
    "Send each to its payer.",
    claims({ state: ["validated"] }),
  );
  add(
    of("paid"),
    "paid claim is not reconciled",
    "paid claims are not reconciled",
    "Enter the payment in your books unless it is there already, then reconcile the claim.",
    claims({ state: ["paid"] }),
  );
  return work;
}
