// The people who render services.
import { Plus } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, seen, useClient } from "../../api/client";
import { merge } from "../../api/merge";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Cancel, Modal } from "../../ui/dialog";
import { Check, type Fault, FaultsOf, TextField } from "../../ui/form";
import { name } from "../../ui/format";
import { changedOf, Meanwhile, textAt } from "../../ui/meanwhile";
import { useOpening } from "../../ui/opening";
import { Empty, Page, Section } from "../../ui/page";
import { State } from "../../ui/state";
import { List, paged } from "../../ui/table";
import { SettingsParts } from "./parts";

type Provider = Schemas["Provider"];

export function Providers() {
  const { api } = useClient();
  const may = useMay();
  const [editing, setEditing] = useState<Provider | null>(null);
  const [adding, setAdding] = useOpening("/settings/providers");
  const providers = api.useInfiniteQuery(
    "get",
    "/providers",
    { params: { query: { limit: 50 } } },
    paged,
  );
  const add = (
    <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      New provider
    </Button>
  );
  return (
    <Page title="Settings" curl="/providers" actions={may.manage && add}>
      <SettingsParts />
      <Section flush>
        <List
          of={providers}
          caption="Providers"
          id={(p) => p.id}
          columns={[
            { head: "Name", cell: (p) => <span className="strong">{name(p)}</span> },
            { head: "NPI", cell: (p) => <span className="numbers">{p.npi}</span> },
            { head: "Taxonomy", wide: true, cell: (p) => p.taxonomy ?? "122300000X, dentist" },
            {
              head: "State",
              cell: (p) => (p.retired ? <State value="retired" /> : <State value="active" />),
            },
            {
              head: "Actions",
              right: true,
              cell: (p) =>
                may.manage && (
                  <Button onClick={() => setEditing(p)} aria-label={`Edit ${name(p)}`}>
                    Edit
                  </Button>
                ),
            },
          ]}
          empty={
            <Empty title="No providers yet">
              Claims name the provider who rendered the services.
            </Empty>
          }
        />
      </Section>
      {editing && <Edit key={editing.id} provider={editing} close={() => setEditing(null)} />}
      {adding && <Edit provider={undefined} close={() => setAdding(false)} />}
    </Page>
  );
}

const textsOf = (provider?: Provider) => ({
  first_name: provider?.first_name ?? "",
  last_name: provider?.last_name ?? "",
  npi: provider?.npi ?? "",
  taxonomy: provider?.taxonomy ?? "",
});

function Edit({ provider, close }: { provider?: Provider; close: () => void }) {
  const { fetch } = useClient();
  const [begun, setBegun] = useState(provider); // what the form was begun from
  const [f, setF] = useState(() => textsOf(provider));
  const [retired, setRetired] = useState(provider?.retired ?? false);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const body = { ...f, taxonomy: f.taxonomy.trim() || null };
  /** catchUp takes what another person saved, without what was typed here. */
  const catchUp = async () => {
    if (!begun) return;
    const { data } = await fetch.GET("/providers/{id}", { params: { path: { id: begun.id } } });
    if (!data) return;
    setF((typed) => merge(textsOf(begun), typed, textsOf(data)));
    setRetired((typed) => merge(begun.retired, typed, data.retired));
    setBegun(data);
  };
  const send = useSend(
    (fetch, key) =>
      provider
        ? fetch.PATCH("/providers/{id}", {
            params: { path: { id: provider.id }, header: { ...key, ...seen(begun ?? provider) } },
            body: { ...body, retired },
          })
        : fetch.POST("/providers", { params: { header: key }, body }),
    {
      says: "The provider is saved.",
      done: close,
      failed: (e) => {
        if (changedOf(e)) void catchUp();
      },
      refused: (e) => {
        if (changedOf(e)) return true;
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  const changed = changedOf(send.error);
  const kept = (field: string) => {
    const theirs = textAt(textsOf(begun), field);
    return theirs === textAt(f, field) ? null : theirs;
  };
  const text = (label: string, key: keyof typeof f, more: object = {}) => (
    <TextField
      label={label}
      path={key}
      value={f[key]}
      onChange={(v) => setF({ ...f, [key]: v })}
      {...more}
    />
  );
  return (
    <Modal
      title={provider ? "Edit the provider" : "New provider"}
      open
      onOpenChange={(o) => {
        if (!o) close();
      }}
    >
      <FaultsOf list={faults} request={body}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            setFaults([]);
            send.go();
          }}
        >
          {changed && <Meanwhile changed={changed} kept={kept} />}
          {text("First name", "first_name", { required: true })}
          {text("Last name", "last_name", { required: true })}
          {text("NPI", "npi", { required: true, inputMode: "numeric" })}
          {text("Taxonomy code", "taxonomy", { optional: true, placeholder: "122300000X" })}
          {provider && (
            <Check label="Retired: not on new claims" checked={retired} onChange={setRetired} />
          )}
          <div className="dialog-actions">
            <Cancel />
            <Button type="submit" look="primary" busy={send.isPending}>
              Save
            </Button>
          </div>
        </form>
      </FaultsOf>
    </Modal>
  );
}
