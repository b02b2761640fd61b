// What Molar does with remittances without a person, for all payers and for single ones.
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { type Fault, FaultsOf, SelectField } from "../../ui/form";
import { When } from "../../ui/format";
import { Page, Read, Section, useCurrent } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { levels } from "./levels";
import { SettingsParts } from "./parts";
import "./automation.css";

type Settings = Schemas["Automation"];
type Level = Schemas["AutomationLevel"];
type Row = { key: number; payer: PickedPayer | null; level: Level };

export function Automation() {
  const { api } = useClient();
  const settings = useCurrent(api.useQuery("get", "/automation"));
  return (
    <Page title="Settings" curl="/automation">
      <SettingsParts />
      <Read card of={settings} rows={6}>
        {(s) => <Form key={s.updated_at ?? ""} settings={s} />}
      </Read>
    </Page>
  );
}

const options = levels.map((l) => [l.level, l.name] as const);

function Form({ settings: s }: { settings: Settings }) {
  const [level, setLevel] = useState<Level>(s.level);
  const [rows, setRows] = useState<readonly Row[]>(() =>
    s.payers.map((p, key) => ({ key, payer: p.payer, level: p.level })),
  );
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const body = {
    level,
    payers: rows.map((r) => ({ payer_id: r.payer?.payer_id ?? "", level: r.level })),
  };
  const send = useSend(
    (fetch, key) => fetch.PUT("/automation", { params: { header: key }, body }),
    {
      says: "The automation is saved.",
      refused: (e) => {
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  const change = (key: number, to: Partial<Row>) =>
    setRows(rows.map((r) => (r.key === key ? { ...r, ...to } : r)));
  return (
    <FaultsOf list={faults} request={body}>
      <Section title="Automation">
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            setFaults([]);
            send.go();
          }}
        >
          <dl className="levels">
            {levels.map((l) => (
              <div key={l.level}>
                <dt>{l.name}</dt>
                <dd>{l.does}</dd>
              </div>
            ))}
          </dl>
          <div className="fields fields-wide">
            <SelectField
              label="All payers"
              path="level"
              value={level}
              onChange={(v) => setLevel(v as Level)}
              options={options}
            />
          </div>
          {rows.map((r, i) => (
            <div key={r.key} className="fields fields-wide">
              <PayerPicker
                label={`Payer ${i + 1}`}
                path={`payers.${i}.payer_id`}
                value={r.payer}
                onChange={(payer) => change(r.key, { payer })}
              />
              <SelectField
                label={`Level of payer ${i + 1}`}
                path={`payers.${i}.level`}
                value={r.level}
                onChange={(v) => change(r.key, { level: v as Level })}
                options={options}
              />
              <div className="row field-end">
                <Button
                  icon={<X size={16} aria-hidden />}
                  onClick={() => setRows(rows.filter((o) => o.key !== r.key))}
                >
                  Remove<span className="only-read"> payer {i + 1}</span>
                </Button>
              </div>
            </div>
          ))}
          <div className="row">
            <Button
              icon={<Plus size={16} aria-hidden />}
              onClick={() =>
                setRows([
                  ...rows,
                  { key: Math.max(-1, ...rows.map((r) => r.key)) + 1, payer: null, level },
                ])
              }
            >
              Add a payer with a level of its own
            </Button>
          </div>
          <p className="muted">
            This counts for remittances that arrive from now on. What a person unposted, reopened or
            unmatched is not done again without a person. The audit shows what Molar did.
          </p>
          <div className="row">
            <Button type="submit" look="primary" busy={send.isPending}>
              Save
            </Button>
            {s.updated_at && s.updated_by && (
              <span className="muted">
                <Changer by={s.updated_by} /> changed it <When value={s.updated_at} />.
              </span>
            )}
          </div>
        </form>
      </Section>
    </FaultsOf>
  );
}
