// The sign-in over a page with typed text, whose session has ended.
import { useEffect, useEffectEvent } from "react";
import { root, useClient } from "../../api/client";
import { type Me, useMe } from "../../api/session";
import { hold } from "../../api/typed";
import { Button } from "../../ui/button";
import { Notice } from "../../ui/page";
import { useToast } from "../../ui/toast";
import { SignInForm } from "./form";
import { whenEnded } from "./why";

/** SignInAgain hides the page until the same person signs in. For another one it is dropped. */
export function SignInAgain() {
  const { mode, queries } = useClient();
  const { user } = useMe();
  const toast = useToast();

  const goOn = (id: string | undefined) => {
    if (id !== user?.id) return drop("/");
    hold(false);
    void queries.invalidateQueries();
    toast.good("You are signed in again.", "What you entered is still here.");
  };

  // The person may sign in on another tab, such as by a link.
  const look = useEffectEvent(async () => {
    const reply = await fetch(`${root}/me`, {
      headers: { "Molar-Mode": mode, "Molar-Background": "true" },
    }).catch(() => null);
    if (!reply?.ok) return;
    const me = (await reply.json()) as Me;
    if (me.user?.id === user?.id) goOn(me.user?.id);
  });
  // The tab, and what ends it, are the browser's.
  useEffect(() => {
    const shown = () => void look();
    const ask = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("focus", shown);
    window.addEventListener("beforeunload", ask);
    leaving = () => window.removeEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("focus", shown);
      leaving();
    };
  }, []);

  return (
    <SignInForm known={user?.email} done={(session) => goOn(session.user_id)}>
      <Notice
        tone="warn"
        title="You were signed out. What you entered is kept."
        action={<Button onClick={() => drop("/sign-in")}>Discard it</Button>}
      >
        {whenEnded} Sign in as {user?.email} in this tab or another one to go on with it.
      </Notice>
    </SignInForm>
  );
}

let leaving = () => {};

/** drop loads another page in place of this one, without what was typed. */
function drop(to: string): void {
  leaving();
  location.replace(to);
}
