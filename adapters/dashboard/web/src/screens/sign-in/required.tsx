// What a person does before the work: choose a password after an invitation, or set up the second
// factor that the organization requires.
import { useState } from "react";
import { useMe, useSignOut } from "../../api/session";
import { Button } from "../../ui/button";
import { FaultsOf } from "../../ui/form";
import { useSigningOut } from "../../ui/sign-out";
import { useTitle } from "../../ui/title";
import { Authenticator, NameField, NewPassword, useOwnChange } from "../settings/authenticator";
import "./sign-in.css";

/** PasswordRequired asks a person who came by a link for a name and a password. */
export function PasswordRequired() {
  const { organization, user } = useMe();
  const leave = useSignOut();
  const [name, setName] = useState(user?.name ?? "");
  const [password, setPassword] = useState("");
  const { faults, send } = useOwnChange(() => undefined);
  useTitle("Choose a password");
  const body = { name, password };
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>Choose a password</h1>
        <p>
          You sign in to {organization.name} with {user?.email} and this password.
        </p>
        <FaultsOf list={faults} request={body}>
          <form
            className="stack"
            onSubmit={(e) => {
              e.preventDefault();
              send.go(body);
            }}
          >
            <input type="hidden" autoComplete="username" value={user?.email ?? ""} readOnly />
            <NameField value={name} onChange={setName} />
            <NewPassword label="New password" value={password} onChange={setPassword} />
            <div className="row">
              <Button type="submit" look="primary" busy={send.isPending}>
                Save and go on
              </Button>
              <Button look="quiet" onClick={leave}>
                Sign out
              </Button>
            </div>
          </form>
        </FaultsOf>
      </div>
    </main>
  );
}

/** SecondFactorRequired leads to a second factor. It holds the page while it shows the recovery codes. */
export function SecondFactorRequired({ hold }: { hold: (on: boolean) => void }) {
  const { organization, user } = useMe();
  const { signOut, question } = useSigningOut();
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
              Forgot your password? Ask an owner to reset it, or the person who runs the server for{" "}
              <code>molar users reset {user.email}</code>.{" "}
            </>
          )}
          You are signed in as {user?.email}.
        </p>
        <div className="row">
          <Button look="quiet" onClick={signOut}>
            Sign out
          </Button>
        </div>
        {question}
      </div>
    </main>
  );
}
