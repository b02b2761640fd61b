import { BadgeCheck, CalendarCheck, CircleDollarSign, Code2, FileImage, FileText, Inbox, Settings } from "lucide-react";

/** places are the screens that the navigation names. */
export const places = [
  { name: "Today", path: "", icon: CalendarCheck },
  { name: "Eligibility", path: "/eligibility", icon: BadgeCheck },
  { name: "Claims", path: "/claims", icon: FileText },
  { name: "Attachments", path: "/attachments", icon: FileImage },
  { name: "Payer requests", path: "/payer-requests", icon: Inbox },
  { name: "Remittances", path: "/remittances", icon: CircleDollarSign },
  { name: "Developers", path: "/developers", icon: Code2 },
  { name: "Settings", path: "/settings", icon: Settings },
] as const;

/** kinds are the screens of the resources, by the beginnings of their IDs. */
const kinds: Record<string, string> = { clm: "claims", elg: "eligibility", att: "attachments", prq: "payer-requests", era: "remittances", evt: "developers/events", req: "developers/requests", whd: "developers/deliveries", whe: "developers/webhooks", pat: "patients" };

/** screenOf returns the path of a resource's screen, below the mode. */
export function screenOf(id: string): string | undefined {
  const place = kinds[id.slice(0, 3)];
  return place && `/${place}/${id}`;
}
