import type { Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { cents, Day, dollars, Money, None } from "../../ui/format";
import { Go } from "../../ui/link";
import { Table } from "../../ui/table";
import { useTasksOf } from "../today/about";
import "./claims.css";
import { paidOn, paidOnNone } from "./figures";

type Claim = Schemas["Claim"];
type Line = Claim["lines"][number];
type Decision = {
  a: Claim["adjudications"][number];
  l: Claim["adjudications"][number]["lines"][number];
};

/** Lines lists the services of a claim, each with what every payer decided about it. */
export function Lines({ claim }: { claim: Claim }) {
  const rows = claim.lines.map((line, i) => ({ line, number: i + 1 }));
  const decided = (n: number) =>
    claim.adjudications.flatMap((a) =>
      a.lines.filter((l) => l.line_number === n).map((l) => ({ a, l })),
    );
  const loose = claim.adjudications.flatMap((a) =>
    a.lines.filter((l) => l.line_number === null).map((l) => ({ a, l })),
  );
  const onNone = paidOnNone(claim);
  const predetermined = claim.kind === "predetermination";
  return (
    <>
      <Table
        caption="Services"
        rows={rows}
        id={(r) => String(r.number)}
        columns={[
          {
            head: "Procedure",
            cell: (r) => (
              <>
                <span className="strong">{r.line.procedure_code}</span>
                {r.line.quantity > 1 && <> × {r.line.quantity}</>}
              </>
            ),
          },
          {
            head: "Tooth",
            cell: (r) => where(r.line) || <None />,
          },
          ...(predetermined
            ? []
            : [
                {
                  head: "Service",
                  cell: (r: (typeof rows)[number]) => <Day value={r.line.service_date} />,
                },
              ]),
          { head: "Fee", right: true, cell: (r) => <Money value={r.line.fee} /> },
          {
            head: predetermined ? "Plan pays" : "Paid",
            right: true,
            cell: (r) => <Money value={paidOn(claim, r.number)} />,
          },
        ]}
        open={(r) =>
          decided(r.number).length > 0 && (
            <ul className="plain decisions">
              {decided(r.number).map((d) => (
                <Decided key={`${d.a.era_id} ${d.a.ordinal}`} of={d} estimates={predetermined} />
              ))}
            </ul>
          )
        }
      />
      <Contract claim={claim} />
      {claim.adjudications.map(
        (a) =>
          a.remark_labels.length > 0 && (
            <p key={`${a.era_id} ${a.ordinal}`} className="card-note muted">
              {a.payer_name} remarks: {remarks(a.remark_labels)}
            </p>
          ),
      )}
      {(loose.length > 0 || cents(onNone) !== 0) && (
        <p className="card-note muted">
          {loose.map(({ a, l }) => (
            <span key={`${a.era_id} ${a.ordinal} ${l.procedure_code}`}>
              {a.payer_name} paid {dollars(l.paid)} for {l.procedure_code}, which matches no line
              with certainty.{" "}
            </span>
          ))}
          On no line: <Money value={onNone} />
        </p>
      )}
    </>
  );
}

/** Contract says of each line that counts, or that was decided, how it stands to the contract. */
function Contract({ claim }: { claim: Claim }) {
  if (!claim.contract) return null;
  const lines = claim.contract.lines.filter(
    (l) => l.allowed !== null && l.difference !== null && cents(l.difference) !== 0,
  );
  if (lines.length === 0) return null;
  return (
    <div className="card-note">
      {cents(claim.contract.underpaid) > 0 && (
        <div className="spread">
          <p className="strong">
            The payer allows <Money value={claim.contract.underpaid} /> less than its contract says.
          </p>
          <AcceptDifference claim={claim} short={claim.contract.underpaid} />
        </div>
      )}
      <ul className="plain small">
        {lines.map((l) => (
          <li key={l.line_number}>
            {claim.lines[l.line_number - 1]?.procedure_code}: allowed <Money value={l.allowed} />,
            contract <Money value={l.expected} />
            {l.not_compared && (
              <span className="muted"> · not compared: {notCompared[l.not_compared]}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** AcceptDifference accepts that the payer stays below its contract, as its task does while it is open. */
function AcceptDifference({ claim: c, short }: { claim: Claim; short: string }) {
  const may = useMay();
  const { data } = useTasksOf(c.id);
  const task = data?.data.find((t) => t.kind === "underpaid");
  const accept = useSend(
    (api, key, note: string) =>
      api.POST("/tasks/{id}/settle", {
        params: { path: { id: task?.id ?? "" }, header: key },
        body: { as: "accepted", note: note || null },
      }),
    { says: "The difference is accepted. The task comes again if it changes." },
  );
  if (!task || !may.write) return null;
  return (
    <Confirm
      title="Accept what the payer allows?"
      action="Accept the difference"
      note="Note"
      busy={accept.isPending}
      onConfirm={(note) => accept.go(note)}
      trigger={(open) => (
        <Button className="no-print" busy={accept.isPending} onClick={open}>
          Accept the difference
        </Button>
      )}
    >
      <p>
        The payer allows {dollars(short)} less than its contract says. Nothing is posted: the
        decision stays with the claim, and its task ends.
      </p>
    </Confirm>
  );
}

/** toDo says what to do about an adjustment that asks for more than to be booked. */
const toDo: Record<Schemas["AdjustmentAct"], string> = {
  correct_and_replace: "correct the claim",
  send_documents: "send documents",
  appeal: "appeal",
  bill_patient: "",
  bill_next_payer: "bill the next payer",
  write_off: "",
  none: "",
};

/** notCompared says why the contract does not bind what the payer allows for a line. */
const notCompared: Record<Schemas["NotCompared"], string> = {
  undecided: "not decided",
  no_contract: "no contract has the procedure",
  denied: "denied",
  changed_code: "the payer decided another procedure",
  maximum: "the plan’s maximum is used up",
  frequency: "the plan limits how often",
  units: "the payer counts fewer units",
  other_payer: "another payer’s decision counts",
  out_of_network: "out of the network",
  other_discount: "another discount",
  claim_level: "the discount is on the whole claim",
};

/** remarks returns the remarks of a payer in words with their codes. */
const remarks = (list: Decision["l"]["remark_labels"]): string =>
  list.map((r) => `${r.label === r.code ? "Unknown remark" : r.label} (${r.code})`).join(" · ");

/** Decided says what a payer decided about a line: what it paid, and where the rest of the fee went. An estimate
 *  pays nothing yet. */
function Decided({ of: { a, l }, estimates }: { of: Decision; estimates: boolean }) {
  const parts = (
    [
      ["paid", l.paid],
      ["write-off", l.contractual],
      ["not paid", l.not_paid],
      ["deductible", l.deductible],
      ["coinsurance", l.coinsurance],
      ["copay", l.copay],
      ["other from the patient", l.other_patient],
    ] as const
  ).filter(
    ([what, value]) => (what === "paid" && !estimates) || (value !== null && cents(value) !== 0),
  );
  return (
    <li className={a.cancelled_by ? "cancelled" : undefined}>
      <p className="line-decision">
        <Go to={`/remittances/${a.era_id}`}>{a.payer_name}</Go>
        {parts.map(([what, value]) => (
          <span key={what} className="nowrap">
            <span className="muted">{what}</span> <Money value={value} strong={what === "paid"} />
          </span>
        ))}
        {a.cancelled_by && <span className="muted">reversed later</span>}
      </p>
      {l.adjustments.length > 0 && (
        <p className="muted small">
          {l.adjustments
            .map(
              (j) =>
                `${j.label} ${dollars(j.amount)} (${j.group}-${j.reason}${toDo[j.act] ? `: ${toDo[j.act]}` : ""})`,
            )
            .join(" · ")}
        </p>
      )}
      {l.remark_labels.length > 0 && (
        <p className="muted small">Remarks: {remarks(l.remark_labels)}</p>
      )}
    </li>
  );
}

/** where returns the place of a service in the mouth: teeth, surfaces, quadrants. */
export function where(line: Line): string {
  return [
    line.teeth.join(", "),
    line.surfaces.join(""),
    line.oral_cavity.map((q) => areas[q] ?? q).join(", "),
  ]
    .filter(Boolean)
    .join(" ");
}

const areas: Record<string, string> = {
  "00": "Whole mouth",
  "01": "Upper arch",
  "02": "Lower arch",
  "10": "Upper right",
  "20": "Upper left",
  "30": "Lower left",
  "40": "Lower right",
};
