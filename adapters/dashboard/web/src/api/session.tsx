// Who is signed in, and what they may do.
import { useNavigate } from "@tanstack/react-router";
import { createContext, useContext } from "react";
import { useToast } from "../ui/toast";
import {
  type APIError,
  type Client,
  forget,
  isAPIError,
  type Mode,
  newKey,
  root,
  type Schemas,
  Unreachable,
  useClient,
} from "./client";

export type Me = Schemas["Me"];

export const MeContext = createContext<Me | null>(null);

/** useMe returns the caller. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error("useMe is called before sign-in");
  return me;
}

/** useMay returns what the caller's role allows: `write` for billers and owners, `manage` for owners.
 *  An unknown role may do neither. */
export function useMay(): { write: boolean; manage: boolean } {
  const { role } = useMe();
  return { write: role === "owner" || role === "biller", manage: role === "owner" };
}

/** signIn begins a session. It throws an APIError when the service refuses. */
export async function signIn(body: Schemas["SignInRequest"]): Promise<Schemas["Session"]> {
  let reply: Response;
  try {
    reply = await fetch(`${root}/sessions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Unreachable("Molar does not reply. Check the connection and try again.");
  }
  const said: unknown = await reply.json();
  if (!reply.ok) throw said as APIError;
  return said as Schemas["Session"];
}

/** useSignOut returns a function that ends the session of this browser, and then leads to the sign-in. If the session
 *  does not end, the page stays and shows why. */
export function useSignOut(): () => void {
  const { fetch } = useClient();
  const navigate = useNavigate();
  const toast = useToast();
  return () => {
    end(fetch).then(
      () => {
        forget();
        void navigate({ to: "/sign-in", search: {}, ignoreBlocker: true });
      },
      (e: unknown) =>
        toast.refused(
          e instanceof Unreachable
            ? new Error("Molar does not reply. Check the connection, then sign out again.")
            : e,
          "You are still signed in.",
        ),
    );
  };
}

/** end ends the session of this browser, unless it has ended before. */
async function end(fetch: Client["fetch"]): Promise<void> {
  try {
    const { data, error } = await fetch.GET("/me");
    if (error) throw error;
    if (!data.session) return;
    const own = { path: { id: data.session.id }, header: { "Idempotency-Key": newKey() } };
    const ended = await fetch.DELETE("/sessions/{id}", { params: own });
    if (ended.error) throw ended.error;
  } catch (e) {
    if (!isAPIError(e) || e.error !== "UNAUTHORIZED") throw e;
  }
}

const modeKey = "molar-mode";

/** lastMode returns the mode that this browser used last. */
export function lastMode(): Mode {
  return localStorage.getItem(modeKey) === "live" ? "live" : "test";
}

export function rememberMode(mode: Mode): void {
  localStorage.setItem(modeKey, mode);
}
