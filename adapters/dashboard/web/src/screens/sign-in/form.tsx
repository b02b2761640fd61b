// The form of the sign-in: a link, whose token is in the fragment, or email and password.
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { type APIError, isAPIError, type Schemas } from "../../api/client";
import { signIn } from "../../api/session";
import { Button } from "../../ui/button";
import { TextField } from "../../ui/form";
import { Notice, why } from "../../ui/page";
import { useTitle } from "../../ui/title";
import "./sign-in.css";

type Choices = NonNullable<APIError["organizations"]>;

/** SignInForm signs a person in. Its children say why, above it. */
export function SignInForm({
  done,
  known = "",
  children,
}: {
  done: (session: Schemas["Session"]) => void;
  known?: string; // the email
  children?: ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const [byLink, setByLink] = useState(() => location.hash.length > 1);
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [choices, setChoices] = useState<Choices | null>(null);
  const begun = useRef("");

  useTitle("Sign in");

  const enter = async (body: Parameters<typeof signIn>[0]) => {
    setBusy(true);
    setRefused(null);
    try {
      done(await signIn(body));
    } catch (e) {
      const several = isAPIError(e) ? e.organizations : undefined;
      setChoices(several ?? null);
      setRefused(several ? null : e);
      setBusy(false);
    }
  };

  // The token leaves the address before it is used, so that it is in no history.
  // A link that is opened over this page changes only the fragment.
  const follow = useEffectEvent(() => {
    const token = location.hash.slice(1);
    if (!token || begun.current === token) return;
    begun.current = token;
    history.replaceState(null, "", location.pathname + location.search);
    setByLink(true);
    void enter({ token });
  });
  // The fragment of the address is the browser's.
  useEffect(() => {
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);

  const submit = (organization?: string) =>
    void enter({
      email,
      password,
      ...(code && { totp: code }),
      ...(organization && { organization_id: organization }),
    });

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>Sign in to Molar</h1>
        {children}
        {byLink && busy && (
          <p role="status" className="muted">
            Signing you in…
          </p>
        )}
        {refused !== null && (
          <Notice tone="bad" title={byLink ? "The link does not work." : why(refused)}>
            {byLink && (
              <p>
                It was already used, or it expired. Ask an owner for a new one, or sign in with your
                password.
              </p>
            )}
            {isAPIError(refused) && (
              <p className="muted small">
                Request <code>{refused.request_id}</code>
              </p>
            )}
          </Notice>
        )}
        {choices && (
          <div className="stack" role="group" aria-label="Organizations">
            <p>This password works for several organizations. Choose the one to sign in to.</p>
            {choices.map((o) => (
              <Button key={o.id} busy={busy} onClick={() => submit(o.id)}>
                {o.name}
              </Button>
            ))}
            <Button look="quiet" onClick={() => setChoices(null)}>
              Back
            </Button>
          </div>
        )}
        {!choices && !(byLink && busy) && (
          <form
            className="stack"
            onSubmit={(e: FormEvent) => {
              e.preventDefault();
              setByLink(false);
              submit();
            }}
          >
            <TextField
              label="Email"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={setEmail}
            />
            <TextField
              label="Password"
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={setPassword}
            />
            <TextField
              label="Code"
              optional
              hint="From your authenticator, or a recovery code."
              autoComplete="one-time-code"
              value={code}
              onChange={setCode}
            />
            <Button type="submit" look="primary" busy={busy}>
              {busy ? "Signing in…" : "Sign in"}
            </Button>
          </form>
        )}
        <p className="muted small">
          Forgot your password? An owner sends you a new link. On the server,{" "}
          <code>molar users link EMAIL</code> prints one.
        </p>
      </div>
    </main>
  );
}
