// An estimate that is kept, and the sheet that the patient takes along.
import { useParams } from "@tanstack/react-router";
import { FilePlus2, Printer, RotateCcw } from "lucide-react";
import { type Schemas, useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../ui/button";
import { Day, dateIn, day, name, printable, useZone, When, words } from "../../ui/format";
import { Go } from "../../ui/link";
import { Page, Waiting } from "../../ui/page";
import { useSeen } from "../../ui/seen";
import { Table } from "../../ui/table";
import { findTooth } from "../../ui/teeth";
import { Traces } from "../../ui/traces";
import { Accuracy } from "./accuracy";
import { Outcome } from "./amounts";
import {
  between,
  deductibleCounts,
  type Estimate,
  type EstimateLine,
  hasAny,
  limitsMet,
  maximumCounts,
  sayings,
} from "./lines";
import "./estimates.css";

export function EstimateDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api, mode } = useClient();
  const may = useMay();
  const zone = useZone();
  const estimate = api.useQuery("get", "/estimates/{id}", { params: { path: { id } } });
  const { patient_id = "", office_id = "" } = estimate.data ?? {};
  const patient = api.useQuery(
    "get",
    "/patients/{id}",
    { params: { path: { id: patient_id } } },
    { enabled: patient_id !== "" },
  );
  const office = api.useQuery(
    "get",
    "/offices/{id}",
    { params: { path: { id: office_id } } },
    { enabled: office_id !== "" },
  );
  useSeen(patient_id, patient.data);
  if (!estimate.data) return <Waiting title="Estimate" rows={10} of={estimate} />;
  const e = estimate.data;
  const who = patient.data;
  const made = dateIn(zone, new Date(e.created_at));
  const title = who ? `Estimate for ${name(who)}` : "Estimate";
  return (
    <Page
      title={title}
      above={<Go to={`/eligibility/${e.eligibility_id}`}>The check that it is made from</Go>}
      curl={`/estimates/${e.id}`}
      printed={
        <p>
          {mode === "test" && <strong>Test mode: not a real estimate. </strong>}
          {[office.data?.name, who && `${name(who)}, born ${day(who.date_of_birth)}`, day(made)]
            .filter(Boolean)
            .join(" · ")}
        </p>
      }
      about={
        <span className="no-print row">
          {who && (
            <span>
              Born <Day value={who.date_of_birth} />
            </span>
          )}
          <span>{e.payer.name}</span>
          <span>{e.network === "in" ? "In network" : "Out of network"}</span>
          <span>
            made <When value={e.created_at} full />
          </span>
          <Go to={`/patients/${e.patient_id}`}>Everything about the patient</Go>
        </span>
      }
      actions={
        <>
          <Button icon={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
            Print for the patient
          </Button>
          {may.write && (
            <ButtonLink
              icon={<RotateCcw size={16} aria-hidden />}
              to="/estimates/new"
              search={{ again: id }}
            >
              Change
            </ButtonLink>
          )}
          {may.write && (
            <ButtonLink
              look="primary"
              icon={<FilePlus2 size={16} aria-hidden />}
              to="/claims/new"
              search={{ estimate_id: id }}
            >
              Claim from this estimate
            </ButtonLink>
          )}
        </>
      }
    >
      <div className="no-print stack">
        <Outcome of={e} open />
        <Accuracy id={id} />
      </div>
      <Sheet of={e} made={made} />
      <Traces id={id} />
    </Page>
  );
}

/** Row is a line of the sheet; the last one is the total. */
type Row = Pick<
  EstimateLine,
  "fee" | "write_off" | "plan_pays" | "second_plan_pays" | "patient_pays"
> & { what: string; where: string };

/** Sheet is the estimate on paper: in plain words, without codes. */
function Sheet({ of: e, made }: { of: Estimate; made: string }) {
  const two = e.secondary_eligibility_id !== null;
  const rows: Row[] = [
    ...e.lines.map((l) => ({ ...l, what: words(l.procedure), where: where(l, made) })),
    { ...e.totals, what: "Total", where: "" },
  ];
  const column = (head: string, of: (r: Row) => Schemas["AmountRange"]) => ({
    head,
    right: true,
    cell: (r: Row) => between(of(r)),
  });
  return (
    <section className="estimate-sheet">
      <p>
        This is an estimate. We made it from what {e.payer.name} returned about your plan. It is no
        promise of payment: your insurance decides when it receives the claim.
      </p>
      <Table
        caption="What your visit may cost"
        rows={rows}
        id={(r) => `${rows.indexOf(r)}`}
        columns={[
          {
            head: "Service",
            cell: (r) => (
              <span>
                <span className="strong">{r.what}</span>
                {r.where && <span className="sub">{r.where}</span>}
              </span>
            ),
          },
          column("Our fee", (r) => r.fee),
          ...(hasAny(e.totals.write_off) ? [column("You save", (r) => r.write_off)] : []),
          column("Your insurance pays", (r) => r.plan_pays),
          ...(two ? [column("Your second insurance pays", (r) => r.second_plan_pays)] : []),
          column("You pay", (r) => r.patient_pays),
        ]}
      />
      <p className="strong">You pay {between(e.totals.patient_pays)}.</p>
      {limitsMet(e).map((s) => (
        <p key={s}>{s}</p>
      ))}
      <h2>What may change it</h2>
      <ul>
        {e.lines.flatMap((l) =>
          l.unless.map((u) => (
            <li key={`${l.procedure} ${u.text}`}>
              {`${words(l.procedure)}: if ${u.text}, you pay ${between(u.patient_pays)}.`}
            </li>
          )),
        )}
        {e.lines.some((l) => l.warnings.length > 0) && (
          <li>Your insurance may want to approve a service first.</li>
        )}
        {sayings([...e.lines.map((l) => l.uncertain), e.uncertain]).map((s) => (
          <li key={s}>{printable(s)}</li>
        ))}
        {deductibleCounts(e) && (
          <li>The deductible may be used for another visit, here or elsewhere.</li>
        )}
        {maximumCounts(e) && <li>Another claim may use what is left of your plan’s maximum.</li>}
        <li>Your insurance may decide otherwise, and a visit may need other services.</li>
      </ul>
    </section>
  );
}

/** where returns the tooth, the count and the day of a service in words. */
function where(l: EstimateLine, made: string): string {
  const tooth = l.tooth && findTooth(l.tooth)?.name;
  return [
    tooth || (l.tooth && `tooth ${l.tooth}`),
    l.quantity > 1 && `${l.quantity} times`,
    l.service_date !== made && `on ${day(l.service_date)}`,
  ]
    .filter(Boolean)
    .join(", ");
}
