// Your account: password and second factor, and the organization that you are in.
import { useEffect, useState } from "react";
import { holdSignOut, isAPIError, type Schemas } from "../../api/client";
import { useMe, useSignOut } from "../../api/session";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { FaultsOf, TextField, type Fault } from "../../ui/form";
import { Facts, Notice, Page, Section } from "../../ui/page";
import { words } from "../../ui/format";
import { SettingsParts } from "./parts";

type Change = Schemas["UserChange"];

/** useOwnChange sends a change of the user's own account. */
function useOwnChange(done: (out: Schemas["ChangedUser"]) => void) {
  const me = useMe();
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const send = useSend((fetch, key, body: Change) => fetch.PATCH("/users/{id}", { params: { path: { id: me.user!.id }, header: key }, body }), {
    done: (out) => { setFaults([]); done(out); },
    refused: (e) => {
      holdSignOut(false);
      if (!isAPIError(e) || e.errors.length === 0) return false;
      setFaults(e.errors);
      return true;
    },
  });
  return { faults, send };
}

export function Account() {
  const me = useMe();
  return (
    <Page title="Settings">
      <SettingsParts />
      <div className="columns">
        <div>
          <Password />
          <SecondFactor />
        </div>
        <div>
          <Section title="You">
            <Facts items={[["Email", me.user?.email], ["Role", me.role ? words(me.role) : null], ["Organization", me.organization.name]]} />
            {me.warnings.map((w) => <Notice key={w.code} tone="warn">{w.message}</Notice>)}
            <p className="small"><Copy value={me.organization.id} label="Copy the organization's ID" /></p>
          </Section>
        </div>
      </div>
    </Page>
  );
}

function Password() {
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { faults, send } = useOwnChange(() => { setCurrent(""); setNext(""); });
  return (
    <Section title={me.user?.has_password ? "Change your password" : "Choose a password"}>
      <FaultsOf list={faults}>
        <form className="stack" onSubmit={(e) => { e.preventDefault(); send.go({ password: next, ...(me.user?.has_password && { current_password: current }) }); }}>
          <input type="hidden" autoComplete="username" value={me.user?.email ?? ""} readOnly />
          <div className="fields fields-wide">
            {me.user?.has_password && <TextField label="Current password" type="password" path="current_password" autoComplete="current-password" required value={current} onChange={setCurrent} />}
            <TextField label="New password" type="password" path="password" autoComplete="new-password" required minLength={12} value={next} onChange={setNext} hint="At least 12 characters. Several words that do not belong together are good." />
          </div>
          <div className="row"><Button type="submit" look="primary" busy={send.isPending}>Save the password</Button></div>
          <p className="muted small">You are signed out everywhere afterwards, and sign in with the new password.</p>
        </form>
      </FaultsOf>
    </Section>
  );
}

function SecondFactor() {
  const me = useMe();
  const [secret, setSecret] = useState<string | null>(null);
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [current, setCurrent] = useState("");
  const leave = useSignOut();
  const { faults, send } = useOwnChange((out) => {
    if (!out.recovery_codes) holdSignOut(false);
    setCodes(out.recovery_codes ?? null);
    setSecret(null);
    setCode("");
  });
  useEffect(() => () => holdSignOut(false), []);
  const own = me.user?.has_password ? { current_password: current } : {};
  return (
    <Section title="Second factor">
      <FaultsOf list={faults}>
        {codes
          ? (
            <Notice tone="warn" title="Keep these recovery codes. They are shown once.">
              <ul className="plain codes mono" aria-label="Recovery codes">{codes.map((c) => <li key={c}>{c}</li>)}</ul>
              <p>Each works once, when you do not have your authenticator.</p>
              <div className="row"><Button look="primary" onClick={leave}>I have kept them. Sign in again</Button></div>
            </Notice>
          )
          : (
            <form className="stack" onSubmit={(e) => { e.preventDefault(); holdSignOut(true); send.go(secret ? { totp_secret: secret, totp: code, ...own } : { totp_secret: "", ...own }); }}>
              <p>{me.user?.has_totp ? "Signing in needs a code of your authenticator." : "With a second factor, a stolen password is not enough to sign in."}</p>
              {secret && (
                <>
                  <p>Enter this key in your authenticator, then the code that it shows.</p>
                  <p><Copy value={secret} label="Copy the key" /></p>
                  <TextField label="Code" path="totp" inputMode="numeric" autoComplete="one-time-code" required value={code} onChange={setCode} />
                </>
              )}
              {(secret || me.user?.has_totp) && me.user?.has_password && <TextField label="Your password" type="password" path="current_password" autoComplete="current-password" required value={current} onChange={setCurrent} />}
              <div className="row">
                {secret
                  ? <Button type="submit" look="primary" busy={send.isPending}>Turn it on</Button>
                  : me.user?.has_totp
                    ? <Button type="submit" look="danger" busy={send.isPending}>Turn it off</Button>
                    : <Button onClick={() => setSecret(newSecret())}>Set up an authenticator</Button>}
              </div>
            </form>
          )}
      </FaultsOf>
    </Section>
  );
}

/** newSecret returns a random key of 160 bits in base32, as authenticators accept it. */
function newSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((b) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[b % 32]).join("");
}
