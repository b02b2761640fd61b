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
import type { Mode } from "./api/client";
import { format, parse, readSearch, type Searched } from "./api/searches";
import { lastMode, rememberMode } from "./api/session";
import { Crash, Missing } from "./shell/crash";
import { load, OutdatedScreen } from "./shell/load";
import type { Screen } from "./shell/places";
import { Shell } from "./shell/shell";
import { address } from "./ui/link";

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
  validateSearch: (search: Record<string, unknown>): { next?: string; ended?: boolean } => ({
    ...(typeof search.next === "string" && { next: search.next }),
    ...(String(search.ended) === "true" && { ended: true }),
  }),
  component: shown(() => import("./screens/sign-in/sign-in"), "SignIn"),
});

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: address(lastMode(), "/") });
  },
});

const remember = ({ params }: { params: { mode: string } }) => rememberMode(params.mode as Mode);

const mode = createRoute({
  getParentRoute: () => rootRoute,
  path: "/$mode",
  beforeLoad: ({ params }) => {
    if (params.mode !== "test" && params.mode !== "live") throw redirect({ to: "/" });
  },
  onEnter: remember,
  onStay: remember,
  component: Shell,
});

const screens: Record<Screen, ReturnType<typeof shown>> = {
  "/": shown(() => import("./screens/today/today"), "Today"),
  "/eligibility": shown(() => import("./screens/eligibility/list"), "CheckList"),
  "/eligibility/new": shown(() => import("./screens/eligibility/form"), "NewCheck"),
  "/eligibility/$id": shown(() => import("./screens/eligibility/detail"), "CheckDetail"),
  "/schedule": shown(() => import("./screens/schedule/list"), "Schedules"),
  "/schedule/new": shown(() => import("./screens/schedule/new"), "NewSchedule"),
  "/schedule/$id": shown(() => import("./screens/schedule/detail"), "ScheduleDetail"),
  "/estimates/new": shown(() => import("./screens/estimates/form"), "NewEstimate"),
  "/estimates/$id": shown(() => import("./screens/estimates/detail"), "EstimateDetail"),
  "/claims": shown(() => import("./screens/claims/list"), "ClaimList"),
  "/claims/new": shown(() => import("./screens/claims/form"), "NewClaim"),
  "/claims/$id": shown(() => import("./screens/claims/detail"), "ClaimDetail"),
  "/claims/$id/edit": shown(() => import("./screens/claims/form"), "EditClaim"),
  "/claims/$id/replace": shown(() => import("./screens/claims/form"), "ReplaceClaim"),
  "/claims/$id/secondary": shown(() => import("./screens/claims/form-next"), "SecondaryClaim"),
  "/claims/$id/convert": shown(() => import("./screens/claims/form-next"), "ConvertClaim"),
  "/appeals/$id": shown(() => import("./screens/appeals/detail"), "AppealDetail"),
  "/attachments": shown(() => import("./screens/attachments/list"), "AttachmentList"),
  "/attachments/new": shown(() => import("./screens/attachments/new"), "NewAttachment"),
  "/attachments/$id": shown(() => import("./screens/attachments/detail"), "AttachmentDetail"),
  "/payer-requests": shown(() => import("./screens/payer-requests/list"), "PayerRequestList"),
  "/payer-requests/$id": shown(
    () => import("./screens/payer-requests/detail"),
    "PayerRequestDetail",
  ),
  "/patients/$id": shown(() => import("./screens/patients/detail"), "PatientDetail"),
  "/remittances": shown(() => import("./screens/remittances/list"), "RemittanceList"),
  "/remittances/quarantine": shown(() => import("./screens/remittances/quarantine"), "Quarantine"),
  "/remittances/$id": shown(() => import("./screens/remittances/detail"), "RemittanceDetail"),
  "/deposits": shown(() => import("./screens/deposits/list"), "DepositList"),
  "/deposits/$id": shown(() => import("./screens/deposits/detail"), "DepositDetail"),
  "/reports": shown(() => import("./screens/reports/reports"), "Aging"),
  "/reports/collections": shown(() => import("./screens/reports/reports"), "Collections"),
  "/reports/denials": shown(() => import("./screens/reports/reports"), "Denials"),
  "/reports/payers": shown(() => import("./screens/reports/reports"), "Payers"),
  "/developers": shown(() => import("./screens/developers/overview"), "Overview"),
  "/developers/events": shown(() => import("./screens/developers/events"), "EventList"),
  "/developers/events/$id": shown(() => import("./screens/developers/events"), "EventDetail"),
  "/developers/deliveries": shown(() => import("./screens/developers/deliveries"), "DeliveryList"),
  "/developers/deliveries/$id": shown(
    () => import("./screens/developers/deliveries"),
    "DeliveryDetail",
  ),
  "/developers/webhooks": shown(() => import("./screens/developers/webhooks"), "WebhookList"),
  "/developers/webhooks/$id": shown(() => import("./screens/developers/webhooks"), "WebhookDetail"),
  "/developers/requests": shown(() => import("./screens/developers/requests"), "RequestList"),
  "/developers/requests/$id": shown(() => import("./screens/developers/requests"), "RequestDetail"),
  "/developers/keys": shown(() => import("./screens/developers/keys"), "KeyList"),
  "/settings": shown(() => import("./screens/settings/account"), "Account"),
  "/settings/offices": shown(() => import("./screens/settings/offices"), "Offices"),
  "/settings/offices/$id": shown(() => import("./screens/settings/offices"), "OfficeDetail"),
  "/settings/providers": shown(() => import("./screens/settings/providers"), "Providers"),
  "/settings/fees": shown(() => import("./screens/settings/fees"), "FeeSchedules"),
  "/settings/fees/$id": shown(() => import("./screens/settings/fees"), "FeeScheduleDetail"),
  "/settings/payers": shown(() => import("./screens/settings/payers"), "Payers"),
  "/settings/automation": shown(() => import("./screens/settings/automation"), "Automation"),
  "/settings/attachment-rules": shown(
    () => import("./screens/settings/attachment-rules"),
    "AttachmentRules",
  ),
  "/settings/users": shown(() => import("./screens/settings/users"), "Users"),
  "/settings/sessions": shown(() => import("./screens/settings/sessions"), "Sessions"),
  "/settings/audit": shown(() => import("./screens/settings/audit"), "Audit"),
};

const screenRoutes = (Object.keys(screens) as Screen[]).map((path) =>
  createRoute({
    getParentRoute: () => mode,
    path,
    component: screens[path],
    validateSearch: (search: Record<string, unknown>): Record<string, unknown> =>
      readSearch(path as Searched, search),
  }),
);

export const router = createRouter({
  routeTree: rootRoute.addChildren([signIn, home, mode.addChildren(screenRoutes)]),
  parseSearch: parse,
  stringifySearch: format,
  defaultPreload: "intent",
  defaultErrorComponent: Crash,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
