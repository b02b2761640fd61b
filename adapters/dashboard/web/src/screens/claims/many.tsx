// What is done with many claims at once. Each is looked at first where its row does not say whether
// it can be done.
import type { Client, Schemas } from "../../api/client";
import { seen } from "../../api/client";
import { day, name } from "../../ui/format";
import { Left } from "../../ui/many";
import { count, plural } from "../../ui/plural";
import { type Act, type Key, Sure, sent } from "../../ui/selection";
import { unaskable } from "./askable";
import { unanswered, uncheckable, unreconcilable, unsendable, unsent } from "./lacking";

type Api = Client["fetch"];
type Summary = Schemas["ClaimSummary"];

/** named names a claim among others. */
export const named = (c: Summary) =>
  [name(c.patient_name), c.service_dates.first && day(c.service_dates.first)]
    .filter(Boolean)
    .join(", ");

const look = (api: Api, id: string) => sent(api.GET("/claims/{id}", { params: { path: { id } } }));

/** sendClaim sends a claim unless its payer wants to see more with it, or its images would stay
 *  behind. */
export async function sendClaim(api: Api, key: Key, id: string): Promise<string> {
  const now = await look(api, id);
  if (unanswered(now).length > 0)
    throw new Left(
      "Its payer wants to see more. Attach it on the claim, or say why it goes without.",
    );
  if (unsent(now).length > 0)
    throw new Left("It has images that are not sent. Open the claim, which sends both.");
  await sent(
    api.POST("/claims/{id}/submit", {
      params: { path: { id }, header: { ...key, ...seen(now) } },
      body: {},
    }),
  );
  return "Queued for the next file.";
}

/** releaseClaim releases a claim that a person holds. */
export async function releaseClaim(api: Api, key: Key, id: string): Promise<string> {
  const now = await look(api, id);
  if (!now.held) throw new Left("Nobody holds it.");
  const released = await sent(
    api.POST("/claims/{id}/release", {
      params: { path: { id }, header: { ...key, ...seen(now) } },
      body: {},
    }),
  );
  return released.state === "queued" ? "Goes out with the next file." : "Ready to send.";
}

/** askPayer asks the payer of a claim where it is, and waits for the answer. */
export async function askPayer(api: Api, key: Key, id: string): Promise<string> {
  const { message } = await sent(
    api.POST("/claims/{id}/status_inquiries", {
      params: { path: { id }, header: key },
      body: {},
    }),
  );
  return message ?? "The payer has answered. Open the claim to see what it says.";
}

/** Sending asks before claims go to their payers. */
export function Sending({ n, go }: { n: number; go: (choice: string) => void }) {
  return (
    <Sure action={`Send ${count(n, "claim")}`} go={go}>
      <p>
        {plural(n, "The claim goes", "The claims go")} to the payer with the next file. A claim that
        lacks something its payer wants to see, or whose images are not sent, is left for you to
        look at.
      </p>
    </Sure>
  );
}

/** Releasing asks before held claims may go out. */
export function Releasing({ n, go }: { n: number; go: (choice: string) => void }) {
  return (
    <Sure action={`Release ${count(n, "claim")}`} go={go}>
      <p>A queued claim goes to the payer with the next file. Others are ready to send.</p>
    </Sure>
  );
}

/** claimActs are what can be done with many claims. */
export const claimActs: readonly Act<Summary>[] = [
  {
    name: "Send to the payer",
    did: "queued",
    not: unsendable,
    title: (rows) => `Send ${count(rows.length, "claim")}?`,
    ask: (rows, go) => <Sending n={rows.length} go={go} />,
    send: (api, key, c) => sendClaim(api, key, c.id),
  },
  {
    name: "Reconcile",
    did: "reconciled",
    not: unreconcilable,
    send: async (api, key, c) => {
      await sent(
        api.POST("/claims/{id}/reconcile", {
          params: { path: { id: c.id }, header: { ...key, ...seen(c) } },
          body: {},
        }),
      );
      return "Reconciled.";
    },
  },
  {
    name: "Check again",
    did: "checked",
    not: uncheckable,
    send: async (api, key, c) => {
      const now = await sent(
        api.PATCH("/claims/{id}", {
          params: { path: { id: c.id }, header: { ...key, ...seen(c) } },
          body: { submit: false },
        }),
      );
      return now.findings.length > 0
        ? `${count(now.findings.length, "finding")} to correct.`
        : "Nothing is wrong with it: it is ready to send.";
    },
  },
  {
    name: "Release",
    did: "released",
    not: (c) =>
      c.state === "validated" || c.state === "queued"
        ? null
        : "Only a claim that is ready or queued can be held.",
    title: (rows) => `Release ${count(rows.length, "claim")}?`,
    ask: (rows, go) => <Releasing n={rows.length} go={go} />,
    send: (api, key, c) => releaseClaim(api, key, c.id),
  },
  {
    name: "Ask the payer",
    did: "asked about",
    not: (c) => unaskable({ ...c, sent_at: null }),
    send: (api, key, c) => askPayer(api, key, c.id),
  },
];
