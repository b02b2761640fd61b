// What is done with many remittances at once.
import type { Client, Schemas } from "../../api/client";
import { dollars, printable } from "../../ui/format";
import { type Act, type Key, sent } from "../../ui/selection";
import { reconciling, unpostable } from "./standing";

type Summary = Schemas["ERASummary"];

/** named names a remittance among others. */
export const named = (e: Summary) =>
  [
    printable(e.payer?.name ?? e.payer_name),
    printable(e.payment.trace_number),
    dollars(e.payment.total),
  ].join(", ");

/** postRemittance posts a remittance and reconciles its settled claims. */
export async function postRemittance(api: Client["fetch"], key: Key, id: string): Promise<string> {
  const posted = await sent(
    api.POST("/eras/{id}/post", {
      params: { path: { id }, header: key },
      body: { reconcile: true },
    }),
  );
  return `Posted. ${reconciling(posted)}`.trim();
}

/** remittanceActs are what can be done with many remittances. */
export const remittanceActs: readonly Act<Summary>[] = [
  {
    name: "Post",
    did: "posted",
    not: unpostable,
    send: (api, key, e) => postRemittance(api, key, e.id),
  },
];
