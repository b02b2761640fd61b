// What the practice knows of payers: until when they accept claims and appeals, and whether they are
// asked about claims without a person.
import { Plus } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { type Fault, FaultsOf, TextField } from "../../ui/form";
import { None } from "../../ui/format";
import { Empty, Page, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { count } from "../../ui/plural";
import { List, paged } from "../../ui/table";
import { DeadlineFields, useDeadlines } from "./deadlines";
import { SettingsParts } from "./parts";

type Limits = Schemas["PayerLimits"];
type Policy = Schemas["StatusPolicy"];

export function Payers() {
  const may = useMay();
  const [adds, setAdds] = useState<"limits" | "policy" | null>(null);
  const close = () => setAdds(null);
  return (
    <Page
      title="Settings"
      curl="/payer_limits"
      actions={
        may.write && (
          <>
            <Button icon={<Plus size={16} aria-hidden />} onClick={() => setAdds("limits")}>
              Add deadlines
            </Button>
            <Button icon={<Plus size={16} aria-hidden />} onClick={() => setAdds("policy")}>
              Ask a payer
            </Button>
          </>
        )
      }
    >
      <SettingsParts />
      <AllLimits />
      <Policies />
      {adds === "limits" && <EditLimits close={close} />}
      {adds === "policy" && <EditPolicy close={close} />}
    </Page>
  );
}

function AllLimits() {
  const { api } = useClient();
  const may = useMay();
  const [edits, setEdits] = useState<Limits | null>(null);
  const list = api.useInfiniteQuery(
    "get",
    "/payer_limits",
    { params: { query: { limit: 50 } } },
    paged,
  );
  const within = (days: number | null, source: string | null) =>
    days === null ? (
      <None />
    ) : (
      <>
        {count(days, "day")}
        {source && <span className="sub wrap-anywhere">{source}</span>}
      </>
    );
  return (
    <Section title="Deadlines" flush>
      <List
        of={list}
        caption="Until when payers accept claims and appeals"
        id={(l) => l.payer.id}
        columns={[
          { head: "Payer", cell: (l) => <span className="strong">{l.payer.name}</span> },
          {
            head: "Claim, from the first service",
            cell: (l) => within(l.filing_days, l.filing_source),
          },
          {
            head: "Secondary claim, from the primary’s decision",
            cell: (l) => within(l.secondary_filing_days, l.secondary_filing_source),
          },
          {
            head: "Appeal, from the decision",
            cell: (l) => within(l.appeal_days, l.appeal_source),
          },
          {
            head: "Actions",
            right: true,
            cell: (l) =>
              may.write && (
                <div className="row">
                  <Button
                    onClick={() => setEdits(l)}
                    aria-label={`Change the deadlines of ${l.payer.name}`}
                  >
                    Change
                  </Button>
                  <ForgetLimits of={l} />
                </div>
              ),
          },
        ]}
        empty={
          <Empty title="No deadlines yet">
            Enter until when a payer accepts claims and appeals. Today then says in time what would
            be late. The deadlines of a contract come first.
          </Empty>
        }
      />
      {edits && <EditLimits key={edits.payer.id} limits={edits} close={() => setEdits(null)} />}
    </Section>
  );
}

function ForgetLimits({ of: l }: { of: Limits }) {
  const send = useSend(
    (fetch, key) =>
      fetch.DELETE("/payer_limits/{payer_id}", {
        params: { path: { payer_id: l.payer.id }, header: key },
      }),
    { says: "The deadlines are deleted." },
  );
  return (
    <Confirm
      trigger={(open) => (
        <Button
          onClick={open}
          busy={send.isPending}
          aria-label={`Delete the deadlines of ${l.payer.name}`}
        >
          Delete
        </Button>
      )}
      title={`Delete the deadlines of ${l.payer.name}?`}
      action="Delete"
      danger
      onConfirm={() => send.go()}
    >
      <p>Its claims have no deadline then, unless a contract says one.</p>
    </Confirm>
  );
}

function EditLimits({ limits, close }: { limits?: Limits; close: () => void }) {
  const [payer, setPayer] = useState<PickedPayer | null>(limits?.payer ?? null);
  const deadlines = useDeadlines(limits);
  return (
    <Edit
      title={limits ? `Deadlines of ${limits.payer.name}` : "Deadlines of a payer"}
      payer={payer}
      {...(!limits && { setPayer })}
      body={deadlines.entered}
      says="The deadlines are saved."
      path="/payer_limits/{payer_id}"
      close={close}
    >
      <DeadlineFields of={deadlines} />
    </Edit>
  );
}

/** daysOf returns the days of a duration, such as 14 of P14D. */
const daysOf = (duration: string) => duration.replace(/^P(\d+)D$/, "$1");

function Policies() {
  const { api } = useClient();
  const may = useMay();
  const [edits, setEdits] = useState<Policy | null>(null);
  const list = api.useInfiniteQuery(
    "get",
    "/status_policies",
    { params: { query: { limit: 50 } } },
    paged,
  );
  return (
    <Section title="Payers that are asked about claims" flush>
      <List
        of={list}
        caption="Payers that are asked about claims"
        id={(p) => p.id}
        columns={[
          { head: "Payer", cell: (p) => <span className="strong">{p.payer.name}</span> },
          {
            head: "First",
            cell: (p) => `${count(Number(daysOf(p.status_after)), "day")} after it was sent`,
          },
          { head: "Then", cell: (p) => `every ${count(Number(daysOf(p.status_every)), "day")}` },
          {
            head: "Actions",
            right: true,
            cell: (p) =>
              may.write && (
                <div className="row">
                  <Button
                    onClick={() => setEdits(p)}
                    aria-label={`Change when ${p.payer.name} is asked`}
                  >
                    Change
                  </Button>
                  <EndPolicy of={p} />
                </div>
              ),
          },
        ]}
        empty={
          <Empty title="No payer is asked by itself">
            Molar can ask a payer where a claim is while there is no decision. Until then, a person
            asks on the claim’s page.
          </Empty>
        }
      />
      {edits && <EditPolicy key={edits.id} policy={edits} close={() => setEdits(null)} />}
    </Section>
  );
}

function EndPolicy({ of: p }: { of: Policy }) {
  const send = useSend(
    (fetch, key) =>
      fetch.DELETE("/status_policies/{payer_id}", {
        params: { path: { payer_id: p.payer.id }, header: key },
      }),
    { says: "The payer is no longer asked by itself." },
  );
  return (
    <Confirm
      trigger={(open) => (
        <Button onClick={open} busy={send.isPending} aria-label={`Stop asking ${p.payer.name}`}>
          Stop
        </Button>
      )}
      title={`Stop asking ${p.payer.name}?`}
      action="Stop asking"
      danger
      onConfirm={() => send.go()}
    >
      <p>What the payer answered stays. A person can still ask about a claim.</p>
    </Confirm>
  );
}

function EditPolicy({ policy, close }: { policy?: Policy; close: () => void }) {
  const [payer, setPayer] = useState<PickedPayer | null>(policy?.payer ?? null);
  const [after, setAfter] = useState(daysOf(policy?.status_after ?? "P14D"));
  const [every, setEvery] = useState(daysOf(policy?.status_every ?? "P7D"));
  return (
    <Edit
      title={policy ? `When ${policy.payer.name} is asked` : "Ask a payer about its claims"}
      payer={payer}
      {...(!policy && { setPayer })}
      body={{ status_after: `P${after.trim()}D`, status_every: `P${every.trim()}D` }}
      says="The payer is asked about claims without a decision."
      path="/status_policies/{payer_id}"
      close={close}
    >
      <TextField
        label="First, days after the claim was sent (7 to 180)"
        path="status_after"
        required
        inputMode="numeric"
        value={after}
        onChange={setAfter}
      />
      <TextField
        label="Then, days after an answer (1 to 28)"
        path="status_every"
        required
        inputMode="numeric"
        value={every}
        onChange={setEvery}
      />
    </Edit>
  );
}

/** Edit is the dialog of what is put for a payer, who is chosen where setPayer is given. */
function Edit({
  title,
  payer,
  setPayer,
  body,
  says,
  path,
  close,
  children,
}: {
  title: string;
  payer: PickedPayer | null;
  setPayer?: (p: PickedPayer | null) => void;
  body: object;
  says: string;
  path: "/payer_limits/{payer_id}" | "/status_policies/{payer_id}";
  close: () => void;
  children: React.ReactNode;
}) {
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const send = useSend(
    (fetch, key) =>
      fetch.PUT(path, { params: { path: { payer_id: payer?.id ?? "" }, header: key }, body }),
    {
      says,
      done: close,
      refused: (e) => {
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  return (
    <Modal
      title={title}
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
            if (payer) send.go();
            else setFaults([{ field: "payer_id", message: "Choose a payer." }]);
          }}
        >
          {setPayer && (
            <PayerPicker label="Payer" path="payer_id" value={payer} onChange={setPayer} />
          )}
          {children}
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
