// The people of the organization: inviting, roles, disabling.
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { type Fault, FaultsOf, SelectField, TextField } from "../../ui/form";
import { When } from "../../ui/format";
import { Go } from "../../ui/link";
import { type MenuItem, More } from "../../ui/menu";
import { Empty, Notice, Page, Section } from "../../ui/page";
import { State } from "../../ui/state";
import { List, paged } from "../../ui/table";
import { SettingsParts } from "./parts";

type User = Schemas["User"];
type Role = Schemas["Role"];

const roles: [Role, string][] = [
  ["owner", "Owner: everything"],
  ["biller", "Biller: everything but users, keys and offices"],
  ["viewer", "Viewer: reads only"],
];

export function Users() {
  const { api } = useClient();
  const users = api.useInfiniteQuery("get", "/users", { params: { query: { limit: 50 } } }, paged);
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useState<{ url: string; within: string } | null>(null);
  const [left, setLeft] = useState<readonly Schemas["APIKey"][]>([]);
  const invited = (u: Schemas["InvitedUser"]) =>
    setLink(u.sign_in_url ? { url: u.sign_in_url, within: "48 hours" } : null);
  const again = useSend(
    (fetch, key, id: string) =>
      fetch.POST("/users/{id}/invite", { params: { path: { id }, header: key } }),
    { done: invited },
  );
  const reset = useSend(
    (fetch, key, id: string) =>
      fetch.POST("/users/{id}/reset", { params: { path: { id }, header: key } }),
    { done: (u) => setLink(u.sign_in_url ? { url: u.sign_in_url, within: "10 minutes" } : null) },
  );
  return (
    <Page
      title="Settings"
      actions={
        <Button
          look="primary"
          icon={<UserPlus size={16} aria-hidden />}
          onClick={() => setInviting(true)}
        >
          Invite a person
        </Button>
      }
    >
      <SettingsParts />
      {left.length > 0 && (
        <Notice
          tone="warn"
          title="This person made API keys that still work."
          action={<Button onClick={() => setLeft([])}>Done</Button>}
        >
          <p>
            {left.map((k) => k.name).join(", ")}. Revoke those that no program needs under{" "}
            <Go to="/developers/keys">API keys</Go>.
          </p>
        </Notice>
      )}
      {link && <Link {...link} close={() => setLink(null)} />}
      <Section flush>
        <List
          of={users}
          caption="Users"
          id={(u) => u.id}
          columns={[
            { head: "Person", cell: (u) => <Person of={u} /> },
            { head: "Role", cell: (u) => <RoleOf user={u} /> },
            { head: "State", cell: (u) => <State value={u.state} /> },
            { head: "Second factor", wide: true, cell: (u) => (u.has_totp ? "On" : "Off") },
            { head: "Signed in", cell: (u) => <When value={u.signed_in_at} real /> },
            {
              head: "Actions",
              right: true,
              cell: (u) => (
                <Actions
                  user={u}
                  invite={() => again.go(u.id)}
                  reset={() => reset.go(u.id)}
                  disabled={setLeft}
                />
              ),
            },
          ]}
          empty={<Empty title="No users" />}
        />
      </Section>
      <RequireTOTP />
      <Invite open={inviting} onOpenChange={setInviting} done={invited} />
    </Page>
  );
}

/** Person shows the name of a user, and the email address that says who it is. */
function Person({ of: u }: { of: User }) {
  return (
    <>
      <span className="strong">{u.name ?? u.email}</span>
      {u.name && <span className="sub">{u.email}</span>}
    </>
  );
}

/** RequireTOTP lets an owner require a second factor of everyone. */
function RequireTOTP() {
  const { organization, user } = useMe();
  const change = useSend(
    (fetch, key, require_totp: boolean) =>
      fetch.PATCH("/organization", { params: { header: key }, body: { require_totp } }),
    { says: "Saved." },
  );
  return (
    <Section title="Second factor of everyone">
      {organization.require_totp ? (
        <div className="stack">
          <p>
            Everyone needs a second factor to work here. An owner resets a person who loses the
            authenticator and the recovery codes. The only owner asks the operator of the service
            for <code>molar users reset</code>.
          </p>
          <Confirm
            trigger={(open) => (
              <div className="row">
                <Button busy={change.isPending} onClick={open}>
                  Stop requiring it
                </Button>
              </div>
            )}
            title="Stop requiring a second factor?"
            action="Stop requiring it"
            danger
            onConfirm={() => change.go(false)}
          >
            <p>
              People who have one still need its code. Others sign in with a password, or a link,
              alone.
            </p>
          </Confirm>
        </div>
      ) : (
        <div className="stack">
          <p>
            You can require a code from an authenticator app of everyone who signs in. Then a stolen
            password is not enough.
          </p>
          {user?.has_totp ? (
            <Confirm
              trigger={(open) => (
                <div className="row">
                  <Button busy={change.isPending} onClick={open}>
                    Require a second factor
                  </Button>
                </div>
              )}
              title="Require a second factor of everyone?"
              action="Require it"
              onConfirm={() => change.go(true)}
            >
              <p>
                People who signed in without one must set it up before they can go on, and lose what
                they have not saved. API keys work as before.
              </p>
            </Confirm>
          ) : (
            <p>
              First <Go to="/settings">set up your own</Go>.
            </p>
          )}
        </div>
      )}
    </Section>
  );
}

function Link({ url, within, close }: { url: string; within: string; close: () => void }) {
  return (
    <Notice
      tone="good"
      title={`Send this link to the person. It works once, within ${within}.`}
      action={<Button onClick={close}>Done</Button>}
    >
      <p>
        <Copy value={url} label="Copy the link" />
      </p>
      <p className="muted small">It is shown once. Anyone who has it can sign in as this person.</p>
    </Notice>
  );
}

function useChange(done?: (out: Schemas["ChangedUser"]) => void) {
  return useSend(
    (fetch, key, { id, body }: { id: string; body: Schemas["UserChange"] }) =>
      fetch.PATCH("/users/{id}", { params: { path: { id }, header: key }, body }),
    { says: "Saved.", done },
  );
}

function RoleOf({ user: u }: { user: User }) {
  const me = useMe();
  const change = useChange();
  const [chosen, choose] = useState<Role | null>(null);
  if (u.id === me.user?.id) return <span>{u.role} (you)</span>;
  const role = chosen ?? u.role;
  return (
    <div className="row">
      <SelectField
        label={`Role of ${u.email}`}
        hideLabel
        value={role}
        onChange={(r) => choose(r as Role)}
        options={roles.map(([r]) => [r, r] as const)}
      />
      {role !== u.role && (
        <Button
          busy={change.isPending}
          aria-label={`Save the role of ${u.email}`}
          onClick={() => change.go({ id: u.id, body: { role } })}
        >
          Save
        </Button>
      )}
    </div>
  );
}

function Actions({
  user: u,
  invite,
  reset,
  disabled,
}: {
  user: User;
  invite: () => void;
  reset: () => void;
  disabled: (left: readonly Schemas["APIKey"][]) => void;
}) {
  const me = useMe();
  const change = useChange((out) => {
    if (out.working_keys) disabled(out.working_keys);
  });
  if (u.id === me.user?.id) return null;
  const items = (ask: () => void): MenuItem[] => [
    ...(u.state === "invited" ? [{ label: "New invitation link", onSelect: invite }] : []),
    ...(u.state === "active" ? [{ label: "Reset the password", onSelect: ask }] : []),
    u.state === "disabled"
      ? { label: "Enable", onSelect: () => change.go({ id: u.id, body: { state: "active" } }) }
      : {
          label: "Disable",
          danger: true,
          onSelect: () => change.go({ id: u.id, body: { state: "disabled" } }),
        },
  ];
  return (
    <Confirm
      title="Reset the password?"
      action="Reset it"
      danger
      onConfirm={reset}
      trigger={(ask) => (
        <More label={`Actions for ${u.email}`} items={items(ask)}>
          Actions
        </More>
      )}
    >
      <p>
        The password and the second factor of {u.name ?? u.email} stop working, and their sessions
        end. You get a link to send, with which the person chooses a new password.
      </p>
    </Confirm>
  );
}

function Invite({
  open,
  onOpenChange,
  done,
}: {
  open: boolean;
  onOpenChange: (o: boolean) => void;
  done: (u: Schemas["InvitedUser"]) => void;
}) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("biller");
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const send = useSend(
    (fetch, key, body: Schemas["InviteRequest"]) =>
      fetch.POST("/users", { params: { header: key }, body }),
    {
      done: (u) => {
        onOpenChange(false);
        setEmail("");
        setName("");
        done(u);
      },
      refused: (e) => {
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  return (
    <Modal title="Invite a person" open={open} onOpenChange={onOpenChange}>
      <FaultsOf list={faults} request={{ email, name, role }}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            setFaults([]);
            send.go({ email, name, role });
          }}
        >
          <TextField
            label="Email"
            type="email"
            path="email"
            required
            value={email}
            onChange={setEmail}
            autoComplete="off"
          />
          <TextField
            label="Name"
            path="name"
            optional
            value={name}
            onChange={setName}
            autoComplete="off"
            hint="The person can change it."
          />
          <SelectField
            label="Role"
            path="role"
            value={role}
            onChange={(v) => setRole(v as Role)}
            options={roles}
          />
          <p className="muted small">Molar sends no email. You get a link to send.</p>
          <div className="dialog-actions">
            <Cancel />
            <Button type="submit" look="primary" busy={send.isPending}>
              Make the link
            </Button>
          </div>
        </form>
      </FaultsOf>
    </Modal>
  );
}
