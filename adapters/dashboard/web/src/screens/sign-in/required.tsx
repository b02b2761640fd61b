// What a person sees whose organization requires a second factor, and who signed in without one.
import { useMe, useSignOut } from "../../api/session";
import { Button } from "../../ui/button";
import { useTitle } from "../../ui/title";
import { Authenticator } from "../settings/authenticator";
import "./sign-in.css";

/** SecondFactorRequired leads to a second factor. It holds the page while it shows the recovery codes. */
export function SecondFactorRequired({ hold }: { hold: (on: boolean) => void }) {
  const { organization, user } = useMe();
  const leave = useSignOut();
  useTitle("Set up a second factor");
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>Set up a second factor</h1>
        <p>
          {organization.name} requires a code from an authenticator app in addition to the password.
          Set it up now, then go on with your work.
        </p>
        <Authenticator shown={() => hold(true)} done={() => hold(false)} />
        <p className="muted small">
          {user?.has_totp &&
            "If you have your authenticator, sign out, and sign in with its code. "}
          {user?.has_password && (
            <>
              Forgot your password? Ask the person who runs the server for{" "}
              <code>molar users reset {user.email}</code>.{" "}
            </>
          )}
          You are signed in as {user?.email}.
        </p>
        <div className="row">
          <Button look="quiet" onClick={leave}>
            Sign out
          </Button>
        </div>
      </div>
    </main>
  );
}
