// What is done with many checks at once.
import { isAPIError } from "../../api/client";
import { count, plural } from "../../ui/plural";
import { type Act, Sure } from "../../ui/selection";
import { asking, unrepeatable } from "./repeat";
import { type CheckResource, standing } from "./standing";

/** checkAgain is the act that asks the payers of checks once more. */
export const checkAgain = (today: string): Act<CheckResource> => ({
  name: "Check again",
  did: "checked",
  not: unrepeatable,
  title: (rows) => `Check ${count(rows.length, "patient")} again?`,
  ask: (rows, go) => (
    <Sure action={`Check ${count(rows.length, "patient")}`} go={go}>
      <p>
        {plural(rows.length, "The payer is", "Each payer is")} asked now, and each answer is charged
        as a new check. Where the service date has passed, the check is about today.
      </p>
    </Sure>
  ),
  send: async (api, key, c) => {
    const { data, error } = await api.POST("/eligibility", {
      params: { header: { ...key, "Cache-Control": "no-cache" } },
      body: asking(c, today),
    });
    // The check exists, and says more than the refusal.
    const now = data ?? (isAPIError(error) ? error.check : undefined);
    if (!now || now.state === "pending") throw error;
    if (error) throw { ...error, message: `${standing(now)[0]}. Open its new check to see why.` };
    return `${standing(now)[0]}.`;
  },
});
