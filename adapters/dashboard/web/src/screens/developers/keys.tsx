// API keys, which only an owner sees and makes. A new key is shown once.
import { Plus } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Mode, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay, useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { DateField, FaultsOf, SelectField, TextField } from "../../ui/form";
import { When } from "../../ui/format";
import { Go } from "../../ui/link";
import { useOpening } from "../../ui/opening";
import { Empty, Failure, Notice, Section } from "../../ui/page";
import { Badge, State } from "../../ui/state";
import { type Column, List, paged } from "../../ui/table";
import { Developers } from "./frame";
import { Secret } from "./secret";

type Key = Schemas["APIKey"];

export function KeyList() {
  const may = useMay();
  const { organization } = useMe();
  if (!may.manage) {
    return (
      <Developers tab="API keys" title="API keys">
        <Section flush>
          <Empty title="Only an owner sees API keys">
            A key reads and writes the data of patients. Ask an owner of {organization.name} for
            one.
          </Empty>
        </Section>
      </Developers>
    );
  }
  return <Keys />;
}

function Keys() {
  const { api, mode } = useClient();
  const [making, setMaking] = useOpening("/developers/keys");
  const [secret, setSecret] = useState<string | null>(null);
  const keys = api.useInfiniteQuery(
    "get",
    "/api_keys",
    { params: { query: { limit: 50 } } },
    paged,
  );
  const users = api.useQuery("get", "/users", { params: { query: { limit: 100 } } });
  const emails = new Map(users.data?.data.map((u) => [u.id, u.name ?? u.email]));
  const make = (
    <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      New key
    </Button>
  );
  const columns: Column<Key>[] = [
    { head: "Name", cell: (k) => <strong>{k.name}</strong> },
    {
      head: "Mode",
      cell: (k) =>
        k.mode === "live" ? <Badge tone="accent">Live</Badge> : <Badge tone="warn">Test</Badge>,
    },
    {
      head: "May",
      cell: (k) => permitted(k),
    },
    { head: "Ends in", cell: (k) => <code>…{k.last_four}</code> },
    {
      head: "Created",
      cell: (k) => (
        <>
          <When value={k.created_at} real />
          {k.created_by && (
            <div className="muted small">{emails.get(k.created_by) ?? k.created_by}</div>
          )}
        </>
      ),
    },
    {
      head: "Last used",
      cell: (k) =>
        k.last_used_at ? (
          <>
            <When value={k.last_used_at} real />
            <div className="muted small">from {k.last_used_from}</div>
          </>
        ) : (
          "Never"
        ),
    },
    {
      head: "State",
      cell: (k) => (
        <>
          <span className="row">
            {k.revoked_at && <State value="revoked" />}
            {k.revoked_at && <When value={k.revoked_at} real />}
            {!k.revoked_at && <State value={expired(k) ? "expired" : "active"} />}
          </span>
          {k.expires_at && !k.revoked_at && (
            <div className="muted small">
              {expired(k) ? "Expired" : "Expires"} <When value={k.expires_at} real />
            </div>
          )}
          {k.allowed_addresses.length > 0 && (
            <div className="muted small">Only from {k.allowed_addresses.join(", ")}</div>
          )}
        </>
      ),
    },
    {
      head: "Actions",
      right: true,
      cell: (k) => (
        <span className="row key-actions">
          {k.mode === mode && (
            <Go
              to="/developers/requests"
              search={{ key_id: k.id }}
              aria-label={`Requests of ${k.name}`}
            >
              Requests
            </Go>
          )}
          {!k.revoked_at && <Revoke of={k} />}
        </span>
      ),
    },
  ];
  return (
    <Developers
      tab="API keys"
      title="API keys"
      about="Programs use the API with a key. A test key reaches only simulated payers."
      actions={(keys.data?.pages[0]?.data.length ?? 0) > 0 && make}
    >
      <Section flush>
        <List
          of={keys}
          caption="API keys"
          id={(k) => k.id}
          columns={columns}
          empty={
            <Empty title="No keys yet" action={make}>
              Create a test key first: your program can try everything with simulated payers.
            </Empty>
          }
        />
      </Section>
      <Modal title="New API key" open={making} onOpenChange={setMaking}>
        <KeyForm
          close={(made) => {
            setMaking(false);
            setSecret(made ?? null);
          }}
        />
      </Modal>
      <Secret
        title="The new API key"
        value={secret}
        about="A program sends it as Authorization: Bearer. Keep it where your program keeps passwords."
        close={() => setSecret(null)}
      />
    </Developers>
  );
}

function permitted(k: Key): string {
  if (!k.permissions.includes("submit")) return "Read only";
  return k.permissions.includes("read") ? "Read and write" : "Write only";
}

function expired(k: Key): boolean {
  return k.expires_at !== null && Date.parse(k.expires_at) <= Date.now();
}

function Revoke({ of: k }: { of: Key }) {
  const revoke = useSend(
    (api, key) =>
      api.POST("/api_keys/{id}/revoke", { params: { path: { id: k.id }, header: key }, body: {} }),
    { says: `${k.name} is revoked.` },
  );
  return (
    <Confirm
      title={`Revoke ${k.name}?`}
      action="Revoke the key"
      danger
      busy={revoke.isPending}
      onConfirm={() => revoke.go()}
      trigger={(open) => (
        <Button onClick={open} busy={revoke.isPending} aria-label={`Revoke ${k.name}`}>
          Revoke
        </Button>
      )}
    >
      <p>
        Programs that use the {k.mode} key ending in {k.last_four} stop working within two seconds.
        You cannot undo this.
      </p>
    </Confirm>
  );
}

function KeyForm({ close }: { close: (secret?: string) => void }) {
  const { mode } = useClient();
  const [name, setName] = useState("");
  const [of, setOf] = useState<Mode>(mode);
  const [may, setMay] = useState("both");
  const [last, setLast] = useState("");
  const [from, setFrom] = useState("");
  const body = (): Schemas["APIKeyRequest"] => ({
    name: name.trim(),
    mode: of,
    permissions,
    ...(last && { expires_at: new Date(`${last}T23:59:59`).toISOString() }),
    allowed_addresses: from.split(/[\s,]+/).filter(Boolean),
  });
  const permissions: ("read" | "submit")[] =
    may === "both" ? ["read", "submit"] : [may as "read" | "submit"];
  const create = useSend(
    (api, key) => api.POST("/api_keys", { params: { header: key }, body: body() }),
    { quiet: true, done: (r) => close(r.secret) },
  );
  const faults = isAPIError(create.error) ? create.error.errors : [];
  return (
    <FaultsOf list={faults} request={body()}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          create.go();
        }}
      >
        {create.error && faults.length === 0 && <Failure error={create.error} />}
        <TextField
          label="Name"
          path="name"
          required
          value={name}
          onChange={setName}
          hint="What the key is for, such as Practice software."
          autoComplete="off"
        />
        <SelectField
          label="Mode"
          path="mode"
          value={of}
          onChange={(v) => setOf(v as Mode)}
          options={[
            ["test", "Test: simulated payers"],
            ["live", "Live: real payers and patients"],
          ]}
        />
        <SelectField
          label="May"
          path="permissions"
          value={may}
          onChange={setMay}
          options={[
            ["both", "Read and write"],
            ["read", "Read only"],
            ["submit", "Write only"],
          ]}
        />
        <DateField
          label="Last day"
          path="expires_at"
          optional
          value={last}
          onChange={setLast}
          hint="The key stops working at the end of this day."
        />
        <TextField
          label="Works only from"
          path="allowed_addresses"
          optional
          value={from}
          onChange={setFrom}
          hint="Addresses or networks, such as 203.0.113.0/24, separated by spaces."
          autoComplete="off"
        />
        {of === "live" && <Notice tone="warn" title="A live key sends claims to real payers." />}
        <div className="dialog-actions">
          <Cancel />
          <Button type="submit" look="primary" busy={create.isPending}>
            Create the key
          </Button>
        </div>
      </form>
    </FaultsOf>
  );
}
