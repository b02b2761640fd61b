// The API of the service: typed by its contract, as the signed-in user, in one mode.
import { QueryClient } from "@tanstack/react-query";
import createFetch, { type Middleware } from "openapi-fetch";
import createHooks from "openapi-react-query";
import { createContext, useContext } from "react";
import type { components, paths } from "./schema";
import { forgetSeen } from "./seen";
import { forgetTrail } from "./trail";

export type Schemas = components["schemas"];
export type Mode = "test" | "live";
export type APIError = Schemas["Error"];

/** root is the base URL of the API. */
export const root = "/api/v1";

/** Unreachable is a request that the service did not reply to. */
export class Unreachable extends Error {}

/** isAPIError reports whether the service refused a request and said why. */
export function isAPIError(e: unknown): e is APIError {
  return typeof e === "object" && e !== null && "error" in e && "request_id" in e;
}

/** said returns why the service refused a request, for people: what is wrong with its fields, if it says so. */
export function said(e: APIError): string {
  return e.errors.map((f) => f.message).join(" ") || e.message;
}

/** newKey returns a key that lets a write be repeated without being done twice. */
export function newKey(): string {
  return crypto.randomUUID();
}

/** seen names the version of a resource that the person has seen. A later one refuses the change. */
export function seen(r: { version: number }): { "If-Match": string } {
  return { "If-Match": `"${r.version}"` };
}

let lastInput = Date.now();
for (const kind of ["pointerdown", "keydown"]) {
  window.addEventListener(
    kind,
    () => {
      lastInput = Date.now();
    },
    { capture: true, passive: true },
  );
}

/** inBackground reports whether the page acts by itself: its last click or key was more than a minute ago. */
export function inBackground(): boolean {
  return Date.now() - lastInput > 60_000;
}

const listeners = new Set<() => void>();

/** onSignedOut calls f when a request finds that the session has ended. */
export function onSignedOut(f: () => void): () => void {
  listeners.add(f);
  return () => {
    listeners.delete(f);
  };
}

/** signedOut says that a request found the session ended. */
export function signedOut(): void {
  for (const f of listeners) f();
}

/** meKey names the query of who is signed in. */
export const meKey = ["get", "/me"];

/** headers are those of every request of the session. */
export function headers(mode: Mode): Record<string, string> {
  return inBackground()
    ? { "Molar-Mode": mode, "Molar-Background": "true" }
    : { "Molar-Mode": mode };
}

function create(mode: Mode) {
  const fetch = createFetch<paths>({ baseUrl: root, credentials: "same-origin" });
  const session: Middleware = {
    onRequest({ request }) {
      for (const [name, value] of Object.entries(headers(mode))) request.headers.set(name, value);
      return request;
    },
    onResponse({ response }) {
      if (response.status === 401) signedOut();
      // What the person may do has changed.
      if (response.status === 403) void queries.invalidateQueries({ queryKey: meKey });
    },
    onError() {
      return new Unreachable(
        "Molar does not reply. Check the connection. This page tries again by itself.",
      );
    },
  };
  fetch.use(session);
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, e) =>
          e instanceof Unreachable || (isAPIError(e) && e.error === "UNAVAILABLE" && failures < 3),
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
        refetchOnWindowFocus: true,
        networkMode: "always",
      },
      // A write carries one key, so it may be repeated until the service replies.
      mutations: {
        retry: (failures, e) => e instanceof Unreachable && failures < 8,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
        networkMode: "always",
      },
    },
  });
  return { mode, fetch, queries, api: createHooks(fetch) };
}

export type Client = ReturnType<typeof create>;

const clients = new Map<Mode, Client>();

/** clientFor returns the client of a mode. The modes share no data. */
export function clientFor(mode: Mode): Client {
  const known = clients.get(mode);
  if (known) return known;
  const made = create(mode);
  clients.set(mode, made);
  return made;
}

/** knowsPerson reports whether a person has signed in since the last forget. */
export function knowsPerson(): boolean {
  return [...clients.values()].some((c) =>
    c.queries.getQueriesData({ queryKey: meKey }).some(([, me]) => me !== undefined),
  );
}

/** forget drops everything that was read, such as at the end of a session. */
export function forget(): void {
  for (const c of clients.values()) c.queries.clear();
  forgetSeen();
  forgetTrail();
}

export const ClientContext = createContext<Client | null>(null);

/** useClient returns the client of the page's mode. */
export function useClient(): Client {
  const c = useContext(ClientContext);
  if (!c) throw new Error("useClient is called outside a mode");
  return c;
}
