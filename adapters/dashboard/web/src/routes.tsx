// The addresses of the screens. An address holds the mode, the screen and its
// filters, never patient data. Each screen loads when it is first shown.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { lastMode } from "./api/session";
import { Crash, Missing } from "./shell/crash";
import { Shell } from "./shell/shell";

const rootRoute = createRootRoute({ notFoundComponent: Missing, errorComponent: Crash });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { next?: string } => (typeof search.next === "string" ? { next: search.next } : {}),
  component: lazyRouteComponent(() => import("./screens/sign-in/sign-in"), "SignIn"),
});

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => { throw redirect({ to: "/$mode", params: { mode: lastMode() } }); },
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

const screen = <P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => mode, path, component, validateSearch: text });

const screens = [
  screen("/", lazyRouteComponent(() => import("./screens/today/today"), "Today")),
  screen("/eligibility", lazyRouteComponent(() => import("./screens/eligibility/list"), "CheckList")),
  screen("/eligibility/new", lazyRouteComponent(() => import("./screens/eligibility/form"), "NewCheck")),
  screen("/eligibility/$id", lazyRouteComponent(() => import("./screens/eligibility/detail"), "CheckDetail")),
  screen("/claims", lazyRouteComponent(() => import("./screens/claims/list"), "ClaimList")),
  screen("/claims/new", lazyRouteComponent(() => import("./screens/claims/form"), "NewClaim")),
  screen("/claims/$id/edit", lazyRouteComponent(() => import("./screens/claims/form"), "EditClaim")),
  screen("/claims/$id/replace", lazyRouteComponent(() => import("./screens/claims/form"), "ReplaceClaim")),
  screen("/claims/$id/secondary", lazyRouteComponent(() => import("./screens/claims/form-next"), "SecondaryClaim")),
  screen("/claims/$id/convert", lazyRouteComponent(() => import("./screens/claims/form-next"), "ConvertClaim")),
  screen("/remittances", lazyRouteComponent(() => import("./screens/remittances/list"), "RemittanceList")),
  screen("/remittances/quarantine", lazyRouteComponent(() => import("./screens/remittances/quarantine"), "Quarantine")),
  screen("/remittances/$id", lazyRouteComponent(() => import("./screens/remittances/detail"), "RemittanceDetail")),
  screen("/claims/$id", lazyRouteComponent(() => import("./screens/claims/detail"), "ClaimDetail")),
  screen("/developers", lazyRouteComponent(() => import("./screens/developers/overview"), "Overview")),
  screen("/developers/events", lazyRouteComponent(() => import("./screens/developers/events"), "EventList")),
  screen("/developers/events/$id", lazyRouteComponent(() => import("./screens/developers/events"), "EventDetail")),
  screen("/developers/deliveries", lazyRouteComponent(() => import("./screens/developers/deliveries"), "DeliveryList")),
  screen("/developers/deliveries/$id", lazyRouteComponent(() => import("./screens/developers/deliveries"), "DeliveryDetail")),
  screen("/developers/webhooks", lazyRouteComponent(() => import("./screens/developers/webhooks"), "WebhookList")),
  screen("/developers/webhooks/$id", lazyRouteComponent(() => import("./screens/developers/webhooks"), "WebhookDetail")),
  screen("/developers/requests", lazyRouteComponent(() => import("./screens/developers/requests"), "RequestList")),
  screen("/developers/requests/$id", lazyRouteComponent(() => import("./screens/developers/requests"), "RequestDetail")),
  screen("/developers/keys", lazyRouteComponent(() => import("./screens/developers/keys"), "KeyList")),
  screen("/attachments", lazyRouteComponent(() => import("./screens/attachments/list"), "AttachmentList")),
  screen("/attachments/new", lazyRouteComponent(() => import("./screens/attachments/new"), "NewAttachment")),
  screen("/attachments/$id", lazyRouteComponent(() => import("./screens/attachments/detail"), "AttachmentDetail")),
  screen("/payer-requests", lazyRouteComponent(() => import("./screens/payer-requests/list"), "PayerRequestList")),
  screen("/payer-requests/$id", lazyRouteComponent(() => import("./screens/payer-requests/detail"), "PayerRequestDetail")),
  screen("/settings", lazyRouteComponent(() => import("./screens/settings/account"), "Account")),
  screen("/settings/offices", lazyRouteComponent(() => import("./screens/settings/offices"), "Offices")),
  screen("/settings/offices/$id", lazyRouteComponent(() => import("./screens/settings/offices"), "OfficeDetail")),
  screen("/settings/providers", lazyRouteComponent(() => import("./screens/settings/providers"), "Providers")),
  screen("/settings/users", lazyRouteComponent(() => import("./screens/settings/users"), "Users")),
  screen("/settings/sessions", lazyRouteComponent(() => import("./screens/settings/sessions"), "Sessions")),
  screen("/settings/audit", lazyRouteComponent(() => import("./screens/settings/audit"), "Audit")),
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
