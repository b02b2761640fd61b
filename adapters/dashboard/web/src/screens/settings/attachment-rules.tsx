// The organization's own rules about what goes with claims. They come before what payers publish.
import { Plus } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, seen, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import {
  AreaField,
  Check,
  type Fault,
  FaultsOf,
  Group,
  SelectField,
  TextField,
} from "../../ui/form";
import { useOpening } from "../../ui/opening";
import { Empty, Page, Section } from "../../ui/page";
import { PayerFilter } from "../../ui/payer-filter";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { List, paged } from "../../ui/table";
import { SettingsParts } from "./parts";
import { type RuleForm, ruleOf } from "./rule-form";

type Rule = Schemas["AttachmentRule"];

/** needs has the words for what goes with a claim, in the order of advice. */
export const needs: Record<Schemas["AttachmentNeed"], string> = {
  xray: "X-ray",
  periodontal_chart: "Periodontal chart",
  pathology_report: "Pathology report",
  operative_report: "Operative report",
  narrative: "Narrative",
  primary_decision: "Decision of the payer before",
  photo: "Intraoral photo",
};

/** whens has the words for the points at which a rule asks. */
const whens: Record<Schemas["AttachmentRuleWhen"], string> = {
  initial: "With claims to the first payer",
  secondary: "With claims to a later payer",
  rejected: "With rejected claims",
  always: "With every claim",
};

const kinds = Object.keys(needs) as Schemas["AttachmentNeed"][];

export function AttachmentRules() {
  const { api } = useClient();
  const may = useMay();
  const [editing, setEditing] = useState<Rule | null>(null);
  const [adding, setAdding] = useOpening("/settings/attachment-rules");
  const [{ claim_id, ...filters }, set] = useFilters("/settings/attachment-rules");
  const rules = api.useInfiniteQuery(
    "get",
    "/attachment_rules",
    { params: { query: { limit: 50, ...filters } } },
    paged,
  );
  const denied = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: claim_id ?? "" } } },
    { enabled: claim_id !== undefined },
  );
  const add = (
    <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      New rule
    </Button>
  );
  return (
    <Page title="Settings" curl="/attachment_rules" actions={may.write && add}>
      <SettingsParts />
      <p className="muted">
        What goes with claims, as you know it from your payers. Your rules come before what payers
        publish. They are shown as advice on a claim before you send it.
      </p>
      <div className="filters">
        <PayerFilter id={filters.payer_id} set={(payer_id) => set({ payer_id })} />
      </div>
      <Section flush>
        <List
          of={rules}
          caption="Attachment rules"
          id={(r) => r.id}
          columns={[
            {
              head: "Payer",
              cell: (r) => <span className="strong">{r.payer?.name ?? "All payers"}</span>,
            },
            {
              head: "Procedures",
              cell: (r) => r.procedure_codes.join(", ") || "All procedures",
            },
            { head: "Wants to see", cell: wanted },
            { head: "When", wide: true, cell: (r) => whens[r.when] ?? r.when },
            {
              head: "Note",
              wide: true,
              cell: (r) => <span className="wrap-anywhere">{r.note}</span>,
            },
            {
              head: "Actions",
              right: true,
              cell: (r) => may.write && <Acts rule={r} edit={() => setEditing(r)} />,
            },
          ]}
          empty={
            <Empty title={filters.payer_id ? "No rule for this payer" : "No rules of your own yet"}>
              When a payer denies a claim because something was missing, make a rule, and Molar says
              so before the next one.
            </Empty>
          }
        />
      </Section>
      {editing && (
        <Edit
          key={editing.id}
          rule={editing}
          begin={formOf(editing)}
          close={() => setEditing(null)}
        />
      )}
      {adding && <Edit begin={blank} close={() => setAdding(false)} />}
      {claim_id && denied.data && may.write && (
        <Edit
          key={claim_id}
          begin={ruleOf(denied.data)}
          close={() => set({ claim_id: undefined })}
        />
      )}
    </Page>
  );
}

/** wanted lists what a rule asks for. */
const wanted = (r: Rule): string => r.needs.map((n) => needs[n] ?? n).join(", ") || "Nothing";

/** nameOf names a rule for a reader of its buttons. */
const nameOf = (r: Rule): string =>
  `the rule for ${r.payer?.name ?? "all payers"}, ${r.procedure_codes.join(", ") || "all procedures"}`;

function Acts({ rule, edit }: { rule: Rule; edit: () => void }) {
  const remove = useSend(
    (api, key) =>
      api.DELETE("/attachment_rules/{id}", {
        params: { path: { id: rule.id }, header: key },
      }),
    { says: "The rule is deleted." },
  );
  return (
    <span className="row">
      <Button onClick={edit} aria-label={`Edit ${nameOf(rule)}`}>
        Edit
      </Button>
      <Confirm
        title="Delete this rule?"
        action="Delete the rule"
        danger
        busy={remove.isPending}
        onConfirm={() => remove.go()}
        trigger={(open) => (
          <Button onClick={open} busy={remove.isPending} aria-label={`Delete ${nameOf(rule)}`}>
            Delete
          </Button>
        )}
      >
        <p>
          Molar no longer asks for it. What the payer publishes counts again for these procedures.
        </p>
      </Confirm>
    </span>
  );
}

const blank: RuleForm = { payer: null, codes: "", needs: [], when: "initial", note: "" };

const formOf = (r: Rule): RuleForm => ({
  payer: r.payer,
  codes: r.procedure_codes.join(", "),
  needs: r.needs,
  when: r.when,
  note: r.note ?? "",
});

function Edit({ rule, begin, close }: { rule?: Rule; begin: RuleForm; close: () => void }) {
  const [f, setF] = useState(begin);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const body = {
    payer_id: f.payer?.id ?? null,
    procedure_codes: f.codes.split(/[\s,;]+/).filter(Boolean),
    needs: f.needs,
    when: f.when,
    note: f.note.trim() || null,
  };
  const send = useSend(
    (fetch, key) =>
      rule
        ? fetch.PATCH("/attachment_rules/{id}", {
            params: { path: { id: rule.id }, header: { ...key, ...seen(rule) } },
            body,
          })
        : fetch.POST("/attachment_rules", { params: { header: key }, body }),
    {
      says: "The rule is saved.",
      done: close,
      refused: (e) => {
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  const tick = (need: Schemas["AttachmentNeed"], on: boolean) =>
    setF({ ...f, needs: kinds.filter((n) => (n === need ? on : f.needs.includes(n))) });
  return (
    <Modal
      title={rule ? "Edit the rule" : "New attachment rule"}
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
          <PayerPicker
            label="Payer"
            path="payer_id"
            optional
            hint="Without one, the rule is for all payers."
            value={f.payer as PickedPayer | null}
            onChange={(payer) => setF({ ...f, payer })}
          />
          <TextField
            label="Procedures"
            path="procedure_codes"
            optional
            hint="Codes, ranges and patterns: D2740, D2710-D2794, Dxx99. Without any, the rule is for all."
            value={f.codes}
            onChange={(codes) => setF({ ...f, codes })}
            autoComplete="off"
          />
          <Group path="needs" label="The payer wants to see" whole className="stack-s">
            <p className="strong" aria-hidden>
              The payer wants to see
            </p>
            {kinds.map((n) => (
              <Check
                key={n}
                label={needs[n]}
                checked={f.needs.includes(n)}
                onChange={(on) => tick(n, on)}
              />
            ))}
            {f.needs.length === 0 && (
              <p className="hint">Nothing: Molar gives no advice about these procedures.</p>
            )}
          </Group>
          <SelectField
            label="When"
            path="when"
            value={f.when}
            onChange={(when) => setF({ ...f, when: when as RuleForm["when"] })}
            options={Object.entries(whens)}
          />
          <AreaField
            label="Note"
            path="note"
            optional
            hint="Shown with the advice. Write nothing about a patient."
            maxLength={500}
            value={f.note}
            onChange={(note) => setF({ ...f, note })}
          />
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
