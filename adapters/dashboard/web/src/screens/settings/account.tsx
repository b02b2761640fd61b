// Your account: password and second factor, and the organization that you are in.
import { useState } from "react";
import { useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { FaultsOf } from "../../ui/form";
import { words } from "../../ui/format";
import { Facts, Notice, Page, Section } from "../../ui/page";
import {
  Authenticator,
  CurrentPassword,
  NameField,
  NewPassword,
  useOwnChange,
} from "./authenticator";
import { SettingsParts } from "./parts";

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
            <Name />
            <Facts
              items={[
                ["Email", me.user?.email],
                ["Role", me.role ? words(me.role) : null],
                ["Organization", me.organization.name],
              ]}
            />
            {me.warnings.map((w) => (
              <Notice key={w.code} tone="warn">
                {w.message}
              </Notice>
            ))}
            <p className="small">
              <Copy value={me.organization.id} label="Copy the organization's ID" />
            </p>
          </Section>
        </div>
      </div>
    </Page>
  );
}

function Name() {
  const me = useMe();
  const [name, setName] = useState(me.user?.name ?? "");
  const { faults, send, typing } = useOwnChange(() => undefined);
  return (
    <FaultsOf list={faults} request={{ name }}>
      <form
        className="stack"
        {...typing.input}
        onSubmit={(e) => {
          e.preventDefault();
          send.go({ name });
        }}
      >
        <NameField value={name} onChange={setName} />
        <div className="row">
          <Button type="submit" busy={send.isPending} disabled={name === (me.user?.name ?? "")}>
            Save the name
          </Button>
        </div>
      </form>
      {typing.dialog}
    </FaultsOf>
  );
}

function Password() {
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { faults, send, typing } = useOwnChange(() => {
    setCurrent("");
    setNext("");
  });
  const body = { password: next, ...(me.user?.has_password && { current_password: current }) };
  return (
    <Section title={me.user?.has_password ? "Change your password" : "Choose a password"}>
      <FaultsOf list={faults} request={body}>
        <form
          className="stack"
          {...typing.input}
          onSubmit={(e) => {
            e.preventDefault();
            send.go(body);
          }}
        >
          <input type="hidden" autoComplete="username" value={me.user?.email ?? ""} readOnly />
          <div className="fields fields-wide">
            {me.user?.has_password && (
              <CurrentPassword label="Current password" value={current} onChange={setCurrent} />
            )}
            <NewPassword label="New password" value={next} onChange={setNext} />
          </div>
          <div className="row">
            <Button type="submit" look="primary" busy={send.isPending}>
              Save the password
            </Button>
          </div>
          <p className="muted small">
            Molar then signs you out everywhere. Sign in again with the new password.
          </p>
        </form>
        {typing.dialog}
      </FaultsOf>
    </Section>
  );
}

function SecondFactor() {
  const me = useMe();
  const [setting, setSetting] = useState(false);
  const [current, setCurrent] = useState("");
  const { faults, send, typing } = useOwnChange(() => setCurrent(""));
  const on = me.user?.has_totp;
  if (setting) {
    const leave = () => setSetting(false);
    return (
      <Section title="Second factor">
        <Authenticator done={leave} cancel={leave} />
      </Section>
    );
  }
  const off = { totp_secret: "", ...(me.user?.has_password && { current_password: current }) };
  return (
    <Section title="Second factor">
      <FaultsOf list={faults} request={off}>
        <form
          className="stack"
          {...typing.input}
          onSubmit={(e) => {
            e.preventDefault();
            send.go(off);
          }}
        >
          <p>
            {on
              ? "Signing in needs a code from your authenticator."
              : "With a second factor, a stolen password is not enough to sign in."}
          </p>
          {me.organization.require_totp && (
            <p className="muted small">{me.organization.name} requires one.</p>
          )}
          <div className="row">
            <Button onClick={() => setSetting(true)}>
              {on ? "Set up another authenticator" : "Set up an authenticator"}
            </Button>
          </div>
          {on && !me.organization.require_totp && (
            <>
              {me.user?.has_password && (
                <CurrentPassword label="Your password" value={current} onChange={setCurrent} />
              )}
              <div className="row">
                <Button type="submit" look="danger" busy={send.isPending}>
                  Turn it off
                </Button>
              </div>
            </>
          )}
        </form>
        {typing.dialog}
      </FaultsOf>
    </Section>
  );
}
