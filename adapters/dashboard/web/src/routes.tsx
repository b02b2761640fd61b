// The addresses of the screens. An address holds the mode, the screen and its
// filters, never patient data. Each screen loads when it is first shown.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { lastMode } from "./api/session";
import { Crash, Missing } from "./shell/crash";
import { load, OutdatedScreen } from "./shell/load";
import { Shell } from "./shell/shell";

/** shown returns a screen of a file, which loads when the screen is first shown. */
const shown = <N extends string>(file: () => Promise<Record<N, ComponentType>>, name: N) =>
  lazyRouteComponent(
    async () => ({ Screen: (await load(file))?.[name] ?? OutdatedScreen }),
    "Screen",
  );

const rootRoute = createRootRoute({ notFoundComponent: Missing, errorComponent: Crash });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === "string" ? { next: search.next } : {},
  component: shown(() => import("./screens/sign-in/sign-in"), "SignIn"),
});

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/$mode", params: { mode: lastMode() } });
  },
});

const mode = createRoute({
  getParentRoute: () => rootRoute,
  path: "/$mode",
  beforeLoad: ({ params }) => {
    if (params.mode !== "test" && params.mode !== "live") throw redirect({ to: "/" });
  },
  component: Shell,
});

/** text keeps the filters of an address that are text or lists of text. */
function text(search: Record<string, unknown>): Record<string, string | string[] | undefined> {
  const kept: Record<string, string | string[]> = {};
  for (const [k, v] of Object.entries(search)) {
    if (Array.isArray(v)) kept[k] = v.map(String);
    else if (v !== "" && v != null) kept[k] = String(v);
  }
  return kept;
}

const screen = <P extends string, N extends string>(
  path: P,
  file: () => Promise<Record<N, ComponentType>>,
  name: N,
) =>
  createRoute({
    getParentRoute: () => mode,
    path,
    component: shown(file, name),
    validateSearch: text,
  });

const screens = [
  screen("/", () => import("./screens/today/today"), "Today"),
  screen("/eligibility", () => import("./screens/eligibility/list"), "CheckList"),
  screen("/eligibility/new", () => import("./screens/eligibility/form"), "NewCheck"),
  screen("/eligibility/$id", () => import("./screens/eligibility/detail"), "CheckDetail"),
  screen("/claims", () => import("./screens/claims/list"), "ClaimList"),
  screen("/claims/new", () => import("./screens/claims/form"), "NewClaim"),
  screen("/claims/$id/edit", () => import("./screens/claims/form"), "EditClaim"),
  screen("/claims/$id/replace", () => import("./screens/claims/form"), "ReplaceClaim"),
  screen("/claims/$id/secondary", () => import("./screens/claims/form-next"), "SecondaryClaim"),
  screen("/claims/$id/convert", () => import("./screens/claims/form-next"), "ConvertClaim"),
  screen("/remittances", () => import("./screens/remittances/list"), "RemittanceList"),
  screen("/remittances/quarantine", () => import("./screens/remittances/quarantine"), "Quarantine"),
  screen("/remittances/$id", () => import("./screens/remittances/detail"), "RemittanceDetail"),
  screen("/claims/$id", () => import("./screens/claims/detail"), "ClaimDetail"),
  screen("/developers", () => import("./screens/developers/overview"), "Overview"),
  screen("/developers/events", () => import("./screens/developers/events"), "EventList"),
  screen("/developers/events/$id", () => import("./screens/developers/events"), "EventDetail"),
  screen("/developers/deliveries", () => import("./screens/developers/deliveries"), "DeliveryList"),
  screen(
    "/developers/deliveries/$id",
    () => import("./screens/developers/deliveries"),
    "DeliveryDetail",
  ),
  screen("/developers/webhooks", () => import("./screens/developers/webhooks"), "WebhookList"),
  screen(
    "/developers/webhooks/$id",
    () => import("./screens/developers/webhooks"),
    "WebhookDetail",
  ),
  screen("/developers/requests", () => import("./screens/developers/requests"), "RequestList"),
  screen(
    "/developers/requests/$id",
    () => import("./screens/developers/requests"),
    "RequestDetail",
  ),
  screen("/developers/keys", () => import("./screens/developers/keys"), "KeyList"),
  screen("/attachments", () => import("./screens/attachments/list"), "AttachmentList"),
  screen("/attachments/new", () => import("./screens/attachments/new"), "NewAttachment"),
  screen("/attachments/$id", () => import("./screens/attachments/detail"), "AttachmentDetail"),
  screen("/payer-requests", () => import("./screens/payer-requests/list"), "PayerRequestList"),
  screen(
    "/payer-requests/$id",
    () => import("./screens/payer-requests/detail"),
    "PayerRequestDetail",
  ),
  screen("/settings", () => import("./screens/settings/account"), "Account"),
  screen("/settings/offices", () => import("./screens/settings/offices"), "Offices"),
  screen("/settings/offices/$id", () => import("./screens/settings/offices"), "OfficeDetail"),
  screen("/settings/providers", () => import("./screens/settings/providers"), "Providers"),
  screen("/settings/users", () => import("./screens/settings/users"), "Users"),
  screen("/settings/sessions", () => import("./screens/settings/sessions"), "Sessions"),
  screen("/settings/audit", () => import("./screens/settings/audit"), "Audit"),
];

export const router = createRouter({
  routeTree: rootRoute.addChildren([signIn, home, mode.addChildren(screens)]),
  defaultPreload: "intent",
  defaultErrorComponent: Crash,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
