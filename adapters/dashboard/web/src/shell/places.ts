// The screens and their places. A place is the path of a screen below the mode, such as "/claims/clm_...".
import {
  BadgeCheck,
  CalendarCheck,
  CalendarClock,
  ChartColumn,
  CircleDollarSign,
  Code2,
  FileImage,
  FileText,
  Inbox,
  Landmark,
  Settings,
} from "lucide-react";
import type { Search, Searched, Searches } from "../api/searches";

/** Screen is the path of a screen. $id is a resource's. */
export type Screen =
  | "/"
  | "/eligibility"
  | "/eligibility/new"
  | "/eligibility/$id"
  | "/schedule"
  | "/schedule/new"
  | "/schedule/$id"
  | "/estimates/new"
  | "/estimates/$id"
  | "/claims"
  | "/claims/new"
  | "/claims/$id"
  | "/claims/$id/edit"
  | "/claims/$id/replace"
  | "/claims/$id/secondary"
  | "/claims/$id/convert"
  | "/appeals/$id"
  | "/attachments"
  | "/attachments/new"
  | "/attachments/$id"
  | "/payer-requests"
  | "/payer-requests/$id"
  | "/patients/$id"
  | "/remittances"
  | "/remittances/quarantine"
  | "/remittances/$id"
  | "/deposits"
  | "/deposits/$id"
  | "/reports"
  | "/reports/collections"
  | "/reports/denials"
  | "/reports/payers"
  | "/developers"
  | "/developers/events"
  | "/developers/events/$id"
  | "/developers/deliveries"
  | "/developers/deliveries/$id"
  | "/developers/webhooks"
  | "/developers/webhooks/$id"
  | "/developers/requests"
  | "/developers/requests/$id"
  | "/developers/keys"
  | "/settings"
  | "/settings/offices"
  | "/settings/offices/$id"
  | "/settings/providers"
  | "/settings/attachment-rules"
  | "/settings/fees"
  | "/settings/fees/$id"
  | "/settings/payers"
  | "/settings/automation"
  | "/settings/users"
  | "/settings/sessions"
  | "/settings/audit";

/** needs lists the screens that only people who may write, or manage, use. */
export const needs: Partial<Record<Screen, "write" | "manage">> = {
  "/eligibility/new": "write",
  "/schedule/new": "write",
  "/estimates/new": "write",
  "/claims/new": "write",
  "/claims/$id/edit": "write",
  "/claims/$id/replace": "write",
  "/claims/$id/secondary": "write",
  "/claims/$id/convert": "write",
  "/attachments/new": "write",
  "/settings/automation": "manage",
  "/settings/users": "manage",
  "/settings/audit": "manage",
};

/** Place is where a link may lead. A path without a screen does not compile. */
export type Place = PlaceOf<Screen>;

type PlaceOf<S> = S extends `${infer Before}$id${infer After}` ? `${Before}${string}${After}` : S;

/** Target is a place with its search parameters. */
export type Target<P extends Place = Place> = { to: P; search?: Search<P> };

/** AnyTarget is a target whose place is known only when the program runs. */
export type AnyTarget =
  | { [P in Searched]: { to: P; search: Searches[P] } }[Searched]
  | { to: Place; search?: undefined };

/** places are the screens that the navigation names. */
export const places = [
  { name: "Today", path: "/", icon: CalendarCheck },
  { name: "Eligibility", path: "/eligibility", icon: BadgeCheck },
  { name: "Schedule", path: "/schedule", icon: CalendarClock },
  { name: "Claims", path: "/claims", icon: FileText },
  { name: "Attachments", path: "/attachments", icon: FileImage },
  { name: "Payer requests", path: "/payer-requests", icon: Inbox },
  { name: "Remittances", path: "/remittances", icon: CircleDollarSign },
  { name: "Deposits", path: "/deposits", icon: Landmark },
  { name: "Reports", path: "/reports", icon: ChartColumn },
  { name: "Developers", path: "/developers", icon: Code2 },
  { name: "Settings", path: "/settings", icon: Settings },
] as const satisfies { name: string; path: Screen; icon: unknown }[];

/** screens are those of the resources, by the beginnings of their IDs. */
const screens: Record<string, (id: string) => AnyTarget> = {
  clm: (id) => ({ to: `/claims/${id}` }),
  elg: (id) => ({ to: `/eligibility/${id}` }),
  bat: (id) => ({ to: `/schedule/${id}` }),
  est: (id) => ({ to: `/estimates/${id}` }),
  att: (id) => ({ to: `/attachments/${id}` }),
  prq: (id) => ({ to: `/payer-requests/${id}` }),
  era: (id) => ({ to: `/remittances/${id}` }),
  apl: (id) => ({ to: `/appeals/${id}` }),
  dep: (id) => ({ to: `/deposits/${id}` }),
  pat: (id) => ({ to: `/patients/${id}` }),
  off: (id) => ({ to: `/settings/offices/${id}` }),
  fee: (id) => ({ to: `/settings/fees/${id}` }),
  evt: (id) => ({ to: `/developers/events/${id}` }),
  req: (id) => ({ to: `/developers/requests/${id}` }),
  whd: (id) => ({ to: `/developers/deliveries/${id}` }),
  whe: (id) => ({ to: `/developers/webhooks/${id}` }),
};

/** screenOf returns the screen of a resource. */
export function screenOf(id: string): AnyTarget | undefined {
  return /^[a-z]{3}_[0-9A-Z]{26}$/.test(id) ? screens[id.slice(0, 3)]?.(id) : undefined;
}
