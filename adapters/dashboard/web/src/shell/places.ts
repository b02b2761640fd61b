import {
  BadgeCheck,
  CalendarCheck,
  CircleDollarSign,
  Code2,
  FileImage,
  FileText,
  Inbox,
  Settings,
} from "lucide-react";

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

/** screens are those of the resources, by the beginnings of their IDs. A patient's has the patient's claims. */
const screens: Record<string, string> = {
  clm: "/claims/",
  elg: "/eligibility/",
  att: "/attachments/",
  prq: "/payer-requests/",
  era: "/remittances/",
  pat: "/claims?patient_id=",
  off: "/settings/offices/",
  evt: "/developers/events/",
  req: "/developers/requests/",
  whd: "/developers/deliveries/",
  whe: "/developers/webhooks/",
};

/** screenOf returns the path of a resource's screen, below the mode. */
export function screenOf(id: string): string | undefined {
  const place = /^[a-z]{3}_[0-9A-Z]{26}$/.test(id) ? screens[id.slice(0, 3)] : undefined;
  return place && place + id;
}
