// What the payer said otherwise than in its answer: it is added by hand, marked, and can be struck.
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { isAPIError, type Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { DateField, FaultsOf, SelectField, TextField } from "../../ui/form";
import { Day, printable, useToday, When, words } from "../../ui/format";
import { Go } from "../../ui/link";
import { Section } from "../../ui/page";
import { Badge } from "../../ui/state";
import { Table } from "../../ui/table";
import type { CheckResource } from "./list";
import { entered, questions } from "./questions";
import { said, valueName } from "./values";

type Addition = Schemas["EligibilityAddition"];
type Source = Schemas["AdditionSource"];

const sources: [Source, string][] = [
  ["phone", "By phone"],
  ["portal", "On its portal"],
  ["letter", "By letter"],
];

/** Additions lists what people added to the check, with who said it and when. */
export function Additions({ check: c }: { check: CheckResource }) {
  const may = useMay();
  if (!c.additions?.length) return null;
  return (
    <Section title="What the payer also said" flush>
      <Table
        caption="What the payer also said"
        rows={c.additions}
        id={(a) => `${a.eligibility_id}-${a.number}`}
        columns={[
          { head: "What", cell: (a) => <Struck of={a}>{valueName(a.path, c, a.value)}</Struck> },
          {
            head: "The payer said",
            cell: (a) => (
              <>
                <Struck of={a}>
                  <span className="strong">{said(a.value)}</span>
                </Struck>{" "}
                {a.contradicts && !a.struck_at && <Badge tone="warn">Its answer differs</Badge>}
              </>
            ),
          },
          { head: "How", cell: (a) => <From of={a} check={c} /> },
          {
            head: "",
            cell: (a) =>
              may.write &&
              !a.struck_at &&
              a.eligibility_id === c.id && <Strike of={a} name={valueName(a.path, c, a.value)} />,
          },
        ]}
      />
    </Section>
  );
}

function Struck({ of: a, children }: { of: Addition; children: ReactNode }) {
  return a.struck_at ? <s>{children}</s> : children;
}

/** From says how and when the payer said it, and who struck it. */
function From({ of: a, check: c }: { of: Addition; check: CheckResource }) {
  const how = sources.find(([s]) => s === a.source)?.[1] ?? words(a.source);
  return (
    <div>
      {how} on <Day value={a.on} />
      {a.person && `, ${printable(a.person)}`}
      {a.reference && `, reference ${printable(a.reference)}`}
      {a.eligibility_id !== c.id && (
        <span className="sub">
          Added to <Go to={`/eligibility/${a.eligibility_id}`}>an earlier check</Go>
        </span>
      )}
      {a.struck_at && (
        <span className="sub">
          Struck <When value={a.struck_at} />
          {a.struck_by && (
            <>
              {" by "}
              <Changer by={a.struck_by} />
            </>
          )}
        </span>
      )}
    </div>
  );
}

function Strike({ of: a, name }: { of: Addition; name: string }) {
  const strike = useSend(
    (fetch, header) =>
      fetch.DELETE("/eligibility/{id}/additions/{n}", {
        params: { path: { id: a.eligibility_id, n: String(a.number) }, header },
      }),
    { says: "Struck" },
  );
  return (
    <span className="no-print">
      <Confirm
        title="Strike this?"
        action="Strike"
        danger
        busy={strike.isPending}
        onConfirm={() => strike.go()}
        trigger={(open) => (
          <Button onClick={open} aria-label={`Strike ${name}`}>
            Strike
          </Button>
        )}
      >
        It stays in the list, and no longer counts: not in estimates, and not for later checks.
      </Confirm>
    </span>
  );
}

/** AddWhatWasSaid opens the dialog in which a person writes what the payer said. */
export function AddWhatWasSaid({ check: c }: { check: CheckResource }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button data-command icon={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Add what the payer said by phone
      </Button>
      <Modal title="What the payer said" open={open} onOpenChange={setOpen}>
        <Form check={c} done={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Form({ check: c, done }: { check: CheckResource; done: () => void }) {
  const all = questions(c);
  const today = useToday();
  const [rows, setRows] = useState([{ path: all[0]?.path ?? "", text: "" }]);
  const [source, setSource] = useState<Source>("phone");
  const [person, setPerson] = useState("");
  const [reference, setReference] = useState("");
  const [on, setOn] = useState(today);
  const kindOf = (path: string) => all.find((q) => q.path === path)?.kind ?? "text";
  const body = {
    values: rows.map((r) => ({ path: r.path, value: entered(kindOf(r.path), r.text) })),
    source,
    person: person.trim() || null,
    reference: reference.trim() || null,
    on,
  };
  const add = useSend(
    (fetch, header) =>
      fetch.POST("/eligibility/{id}/additions", {
        params: { path: { id: c.id }, header },
        body,
      }),
    { says: "Added to the check", done, refused: (e) => e.errors.length > 0 },
  );
  const change = (i: number, to: Partial<(typeof rows)[number]>) =>
    setRows(rows.map((r, k) => (k === i ? { ...r, ...to } : r)));
  return (
    <form
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        add.go();
      }}
    >
      <FaultsOf list={isAPIError(add.error) ? add.error.errors : []} request={body}>
        {rows.map((r, i) => (
          <div key={i} className="stack-s">
            <SelectField
              label={i === 0 ? "What" : `What, ${i + 1}`}
              path={`values.${i}.path`}
              value={r.path}
              onChange={(path) => change(i, { path, text: "" })}
              options={all.map((q) => [q.path, q.label])}
            />
            <Value
              kind={kindOf(r.path)}
              label={i === 0 ? "The payer said" : `The payer said, ${i + 1}`}
              path={`values.${i}.value`}
              value={r.text}
              onChange={(text) => change(i, { text })}
            />
          </div>
        ))}
        <div>
          <Button onClick={() => setRows([...rows, { path: all[0]?.path ?? "", text: "" }])}>
            Another value
          </Button>
        </div>
        <SelectField
          label="How"
          path="source"
          value={source}
          onChange={(s) => setSource(s as Source)}
          options={sources}
        />
        <DateField label="On" path="on" value={on} onChange={setOn} required />
        <TextField label="Who said it" path="person" value={person} onChange={setPerson} optional />
        <TextField
          label="Reference number"
          path="reference"
          value={reference}
          onChange={setReference}
          optional
        />
      </FaultsOf>
      <div className="dialog-actions">
        <Cancel />
        <Button type="submit" look="primary" busy={add.isPending}>
          Add
        </Button>
      </div>
    </form>
  );
}

function Value({
  kind,
  ...field
}: {
  kind: ReturnType<typeof questions>[number]["kind"];
  label: string;
  path: string;
  value: string;
  onChange: (value: string) => void;
}) {
  switch (kind) {
    case "date":
      return <DateField {...field} required />;
    case "network":
      return (
        <SelectField
          {...field}
          required
          options={[
            ["", "Choose"],
            ["in_network", "The office is in network"],
            ["out_of_network", "The office is out of network"],
          ]}
        />
      );
    case "text":
      return <TextField {...field} required />;
    case "percent":
    case "months":
      return <TextField {...field} required inputMode="decimal" />;
    case "money":
    case "row":
      return <TextField {...field} required inputMode="decimal" placeholder="0.00" />;
  }
}
