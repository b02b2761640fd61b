// What a check asked, what it cost, and the messages of the network.
import { type ReactNode, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { Button } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { Exchanged } from "../../ui/exchange";
import { SelectField } from "../../ui/form";
import { Day, name, printable } from "../../ui/format";
import { Go } from "../../ui/link";
import { Facts, Read, Section } from "../../ui/page";
import { Scrolled } from "../../ui/scrolled";
import type { CheckResource } from "./list";
import { valueName } from "./values";

/** answered says where the answer came from. */
function answered(c: CheckResource): string | null {
  if (c.cache.state === "hit") return "From a response of the last 24 hours";
  const { latency_ms: latency = null } = c.source ?? {};
  return latency === null ? null : `In ${(latency / 1000).toFixed(1)} s`;
}

/** Asked shows the request, what it cost, and the messages of the network. */
export function Asked({ check: c }: { check: CheckResource }) {
  const [raw, setRaw] = useState(false);
  const s = c.request.subscriber;
  const rows: [string, ReactNode][] = [
    ["Subscriber", name(s)],
    ["Born", <Day key="b" value={s.date_of_birth} />],
    ["Member ID", s.member_id],
    ["Group number", s.group_number],
    ...(c.request.patient
      ? [
          ["Patient", `${name(c.request.patient)}, ${c.request.patient.relationship}`] as [
            string,
            ReactNode,
          ],
          ["Patient born", <Day key="p" value={c.request.patient.date_of_birth} />] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ["Procedures asked", c.request.procedure_codes.join(", ") || null],
    ["Answered", answered(c)],
    ["Charge", c.billing?.label],
  ];
  return (
    <Section
      title="What was asked"
      actions={
        <Button look="quiet" aria-expanded={raw} onClick={() => setRaw(!raw)}>
          {raw ? "Hide the 270 and 271" : "Show the 270 and 271"}
        </Button>
      }
    >
      <Facts items={rows} />
      {c.parent_id && (
        <p>
          <Go to={`/eligibility/${c.parent_id}`}>The rejected check that this one corrects</Go>
        </p>
      )}
      <p className="small no-print">
        <Copy value={c.id} label="Copy the ID" />
      </p>
      {raw && <Exchange check={c} />}
    </Section>
  );
}

function Exchange({ check: c }: { check: CheckResource }) {
  const { api } = useClient();
  const exchange = api.useQuery("get", "/eligibility/{id}/exchange", {
    params: { path: { id: c.id } },
  });
  if (!exchange.data)
    return (
      <Read of={exchange} rows={3}>
        {() => null}
      </Read>
    );
  if (exchange.data.messages.length === 0)
    return <p className="muted">Nothing was sent: this is a saved response.</p>;
  return (
    <div className="stack no-print">
      <Exchanged messages={exchange.data.messages} request="270" response="271" />
      <Origins of={exchange.data.values} check={c} />
    </div>
  );
}

/** Origins shows the segments of a value that a person picks. */
function Origins({
  of,
  check,
}: {
  of: Schemas["EligibilityExchange"]["values"];
  check: CheckResource;
}) {
  const [path, setPath] = useState("");
  if (!of?.length) return null;
  const paths = [...new Set(of.map((v) => v.path))];
  return (
    <div className="stack">
      <SelectField
        label="Where a value comes from"
        value={path}
        onChange={setPath}
        options={[["", "Choose a value"], ...paths.map((p) => [p, valueName(p, check)] as const)]}
      />
      {of
        .filter((v) => v.path === path)
        .map((v) => (
          <Scrolled key={v.reply} label={`Segments of 271, message ${v.reply + 1}`}>
            {v.segments.map((s) => `${s.position}: ${printable(s.text)}`).join("\n")}
          </Scrolled>
        ))}
    </div>
  );
}
