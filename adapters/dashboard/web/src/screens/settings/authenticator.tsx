// Setting up a second factor: the key as a QR code and as text, a code of it, and the recovery codes.
import { generate } from "lean-qr";
import { toSvgPath } from "lean-qr/extras/svg";
import { useState } from "react";
import { isAPIError, type Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { type Me, useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { Copy, CopyButton } from "../../ui/copy";
import { useLeaving, useTyping } from "../../ui/dialog";
import { type Fault, FaultsOf, TextField } from "../../ui/form";
import { Notice } from "../../ui/page";
import "./authenticator.css";

/** useOwnChange sends a change of the user's own account, and asks before one that is typed is lost. */
export function useOwnChange(done: (out: Schemas["ChangedUser"]) => void) {
  const me = useMe();
  const typing = useTyping();
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const send = useSend(
    (fetch, key, body: Schemas["UserChange"]) =>
      fetch.PATCH("/users/{id}", {
        params: { path: { id: me.user?.id ?? "" }, header: key },
        body,
      }),
    {
      done: (out) => {
        typing.mayLeave();
        setFaults([]);
        done(out);
      },
      refused: (e) => {
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  return { faults, send, typing };
}

/** NameField is the field for the name of a person. */
export function NameField({ value, onChange }: Pick<PasswordProps, "value" | "onChange">) {
  return (
    <TextField
      label="Name"
      path="name"
      optional
      autoComplete="name"
      maxLength={200}
      value={value}
      onChange={onChange}
      hint="As your colleagues know you."
    />
  );
}

type PasswordProps = { label: string; value: string; onChange: (value: string) => void };

/** CurrentPassword is the field for the password so far. */
export function CurrentPassword({ label, value, onChange }: PasswordProps) {
  return (
    <TextField
      label={label}
      type="password"
      path="current_password"
      autoComplete="current-password"
      required
      value={value}
      onChange={onChange}
    />
  );
}

/** NewPassword is the field for a new password. */
export function NewPassword({ label, value, onChange }: PasswordProps) {
  return (
    <TextField
      label={label}
      type="password"
      path="password"
      autoComplete="new-password"
      required
      minLength={12}
      value={value}
      onChange={onChange}
      hint="At least 12 characters. Several unrelated words work well."
    />
  );
}

/** Authenticator sets up a second factor. It calls shown when it shows the recovery codes, and done when
 *  the person has kept them. A person without a password chooses one, because the next sign-in needs
 *  both. */
export function Authenticator({
  shown,
  done,
  cancel,
}: {
  shown?: () => void;
  done: () => void;
  cancel?: () => void;
}) {
  const me = useMe();
  const [secret] = useState(newSecret);
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [had] = useState(me.user?.has_password); // it has one when the recovery codes are shown
  const { faults, send, typing } = useOwnChange((out) => {
    if (!out.recovery_codes) return done();
    setCodes(out.recovery_codes);
    shown?.();
  });
  const body = {
    totp_secret: secret,
    totp: code,
    ...(had ? { current_password: password } : { password }),
  };
  if (codes) return <RecoveryCodes codes={codes} done={done} />;
  return (
    <FaultsOf list={faults} request={body}>
      <form
        className="stack"
        {...typing.input}
        onSubmit={(e) => {
          e.preventDefault();
          send.go(body);
        }}
      >
        <p>
          Scan this with an authenticator app, such as one on your phone. Or enter the key in it.
        </p>
        <QR text={keyURI(me, secret)} />
        <p>
          <Copy value={secret} label="Copy the key" />
        </p>
        <input type="hidden" autoComplete="username" value={me.user?.email ?? ""} readOnly />
        <TextField
          label="Code"
          path="totp"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={setCode}
          hint="The six digits that the app shows for this key."
        />
        {had ? (
          <CurrentPassword label="Your password" value={password} onChange={setPassword} />
        ) : (
          <NewPassword label="Your new password" value={password} onChange={setPassword} />
        )}
        <div className="row">
          <Button type="submit" look="primary" busy={send.isPending}>
            Turn it on
          </Button>
          {cancel && <Button onClick={cancel}>Cancel</Button>}
        </div>
      </form>
      {typing.dialog}
    </FaultsOf>
  );
}

function RecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => void }) {
  const leaving = useLeaving(() => true, "Molar does not show these recovery codes again.");
  return (
    <Notice tone="warn" title="Keep these recovery codes. They are shown once.">
      <ul className="plain codes mono" aria-label="Recovery codes">
        {codes.map((c) => (
          <li key={c}>{c}</li>
        ))}
      </ul>
      <p>Each works once, in place of a code from your authenticator.</p>
      <div className="row">
        <Button look="primary" onClick={done}>
          I have kept them
        </Button>
        <CopyButton value={codes.join("\n")} label="Copy the recovery codes" />
      </div>
      {leaving.dialog}
    </Notice>
  );
}

/** QR shows a text as a QR code: dark on light in every theme, as scanners need it. */
function QR({ text }: { text: string }) {
  const [{ path, size }] = useState(() => {
    const code = generate(text);
    return { path: toSvgPath(code), size: code.size };
  });
  const quiet = 4; // modules around the code, as the standard asks for
  const box = `${-quiet} ${-quiet} ${size + 2 * quiet} ${size + 2 * quiet}`;
  return (
    <svg
      className="qr"
      role="img"
      aria-label="QR code of the key"
      viewBox={box}
      shapeRendering="crispEdges"
    >
      <rect x={-quiet} y={-quiet} width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** keyURI returns the key in the form that authenticators scan. It is only drawn, and no address of
 *  anything. */
function keyURI(me: Me, secret: string): string {
  const account = `${me.user?.email} (${me.organization.name})`;
  return `otpauth://totp/Molar:${encodeURIComponent(account)}?secret=${secret}&issuer=Molar`;
}

/** newSecret returns a random key of 160 bits in base32, as authenticators accept it. */
function newSecret(): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  return [...crypto.getRandomValues(new Uint8Array(32))].map((b) => letters[b % 32]).join("");
}
