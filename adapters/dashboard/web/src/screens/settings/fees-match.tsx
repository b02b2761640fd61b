// Which fee counts for a procedure, and why the others do not.
import { useState } from "react";
import { useClient } from "../../api/client";
import { DateField, SelectField, TextField } from "../../ui/form";
import { day, Money, useToday } from "../../ui/format";
import { Read, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { Badge } from "../../ui/state";
import { Table } from "../../ui/table";

const form = /^D[0-9]{4}$/;

/** FeeMatch asks for a procedure, and shows at once what counts for it. */
export function FeeMatch() {
  const { api } = useClient();
  const today = useToday();
  const [code, setCode] = useState("");
  const [date, setDate] = useState<string | null>(null);
  const [payer, setPayer] = useState<PickedPayer | null>(null);
  const [office, setOffice] = useState("");
  const [network, setNetwork] = useState<"" | "in" | "out">("");
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const procedure_code = code.trim().toUpperCase();
  const on = date ?? today;
  const ready = form.test(procedure_code) && on !== "";
  const match = api.useQuery(
    "get",
    "/fee_schedules/match",
    {
      params: {
        query: {
          procedure_code,
          date: on,
          ...(payer && { payer_id: payer.id }),
          ...(office && { office_id: office }),
          ...(network && { network }),
        },
      },
    },
    { enabled: ready },
  );
  return (
    <Section title="Which fee counts?">
      <div className="fields">
        <TextField label="Procedure" value={code} onChange={setCode} placeholder="D0120" />
        <DateField label="Service date" value={on} onChange={setDate} />
        <PayerPicker label="Payer" optional value={payer} onChange={setPayer} />
        <SelectField
          label="Office"
          optional
          value={office}
          onChange={setOffice}
          options={[
            ["", "Not given"],
            ...(offices.data?.data ?? []).map((o) => [o.id, o.name] as const),
          ]}
        />
        <SelectField
          label="Network"
          optional
          value={network}
          onChange={(v) => setNetwork(v as typeof network)}
          options={[
            ["", "Not given"],
            ["in", "In network"],
            ["out", "Out of network"],
          ]}
        />
      </div>
      {ready && (
        <Read of={match} rows={3}>
          {(m) => (
            <div role="status">
              <p>
                The office charges <Money strong value={m.office_fee?.amount} /> and the payer
                allows <Money strong value={m.allowed?.amount} /> on {day(m.date)}.
              </p>
              {m.schedules.length > 0 && (
                <Table
                  caption="Why"
                  rows={m.schedules}
                  id={(s) => s.schedule_id}
                  to={(s) => `/settings/fees/${s.schedule_id}`}
                  columns={[
                    { head: "Fee schedule", cell: (s) => s.schedule_name },
                    {
                      head: "Counts",
                      cell: (s) =>
                        s.counts ? (
                          <Badge tone="good">Counts</Badge>
                        ) : (
                          <Badge tone="plain">Does not</Badge>
                        ),
                    },
                    { head: "Amount", right: true, cell: (s) => <Money value={s.amount} /> },
                    { head: "Because", cell: (s) => s.because },
                  ]}
                />
              )}
            </div>
          )}
        </Read>
      )}
    </Section>
  );
}
