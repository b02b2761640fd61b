// What is done with many deposits at once.
import type { Client } from "../../api/client";
import { Left } from "../../ui/many";
import { count } from "../../ui/plural";
import { type Act, type Key, Sure, sent } from "../../ui/selection";
import { tasksOf } from "../today/many";
import type { Deposit } from "./table";

/** notInsurance decides that a deposit is no payment of a payer, on its task. */
async function notInsurance(api: Client["fetch"], key: Key, id: string): Promise<string> {
  const task = (await tasksOf(api, id)).find((t) => t.settles.includes("not_insurance"));
  if (!task) throw new Left("Its task does not allow it. Open the deposit.");
  await sent(
    api.POST("/tasks/{id}/settle", {
      params: { path: { id: task.id }, header: key },
      body: { as: "not_insurance" },
    }),
  );
  return "Decided: not insurance.";
}

/** depositActs are what can be done with many deposits. */
export const depositActs: readonly Act<Deposit>[] = [
  {
    name: "Not insurance",
    did: "decided",
    not: (d) =>
      d.state === "unmatched" ? null : "Only money that waits for its remittance is decided.",
    title: (rows) =>
      rows.length === 1
        ? "Is the deposit no payment of a payer?"
        : `Are ${count(rows.length, "deposit")} no payments of payers?`,
    ask: (rows, go) => (
      <Sure action="Not insurance" go={go}>
        <p>
          {count(rows.length, "deposit is", "deposits are")} then no payment of a payer, and no
          remittance is looked for any more.
        </p>
      </Sure>
    ),
    send: (api, key, d) => notInsurance(api, key, d.id),
  },
];
