// Which events an endpoint receives again.
import type { Schemas } from "../../api/client";

type Endpoint = Pick<Schemas["WebhookEndpoint"], "status" | "event_types">;

/** unsendable says why an event is not sent to an endpoint; null if it is. */
export function unsendable(to: Endpoint | undefined, type: Schemas["EventType"]): string | null {
  if (to?.status !== "enabled") return "Its endpoint is disabled or deleted.";
  return to.event_types && !to.event_types.includes(type)
    ? "Its endpoint does not receive this type any more."
    : null;
}
