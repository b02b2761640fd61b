// What a program does with events: the type of an event selects its data.
import type { components } from "./client/molar.js";

type Event = components["schemas"]["Event"];

export function subject(event: Event): string {
  switch (event.type) {
    case "eligibility.completed":
      return event.data.office_id;
    case "api_key.created":
    case "api_key.revoked":
      return event.data.organization.name;
    default:
      return event.data.id;
  }
}

export const fixture: Event = {
  id: "evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK",
  object: "event",
  type: "api_key.revoked",
  sequence: 2,
  created_at: "2026-01-02T03:04:05.000006+00:00",
  data: {
    id: "key_01JGFJJZ00FC1R3ZY5N7Q8Z4VK",
    object: "api_key",
    name: "front desk",
    mode: "test",
    permissions: ["read", "submit"],
    organization: { id: "org_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", object: "organization", name: "Example Dental" },
  },
};

// @ts-expect-error The data of a claim's event is not that of a key's.
export const wrong: Event = { ...fixture, type: "claim.paid" };
