// The answer as a front desk reads it: what to say, who it is about, and what the payer returned.
import { useParams } from "@tanstack/react-router";
import { Calculator, FilePlus2, Printer, RotateCcw } from "lucide-react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { ButtonLink } from "../../ui/button";
import { Day, dateIn, day, name, useToday, useZone, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { More } from "../../ui/menu";
import { Page, Waiting } from "../../ui/page";
import { count } from "../../ui/plural";
import { useSeen } from "../../ui/seen";
import { Traces } from "../../ui/traces";
import { Additions, AddWhatWasSaid } from "./additions";
import { Answer } from "./answer";
import { Asked } from "./asked";
import { ageOf } from "./benefits";
import { Changed, Differs } from "./gains";
import { type CheckResource, Coverage } from "./list";
import { VerdictOf } from "./verdict";
import "./eligibility.css";

export function CheckDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api, mode } = useClient();
  const may = useMay();
  const [office, forOffice] = useState(true); // or the sheet is for the patient
  const check = api.useQuery(
    "get",
    "/eligibility/{id}",
    { params: { path: { id } } },
    { refetchInterval: (q) => (q.state.data?.state === "pending" ? 2000 : false) },
  );
  const { office_id = "" } = check.data ?? {};
  const place = api.useQuery(
    "get",
    "/offices/{id}",
    { params: { path: { id: office_id } } },
    { enabled: office_id !== "" },
  );
  useSeen(check.data?.patient_id, check.data?.request.patient ?? check.data?.request.subscriber);
  if (!check.data) return <Waiting title="Check" rows={10} of={check} />;
  const c = check.data;
  const who = c.request.patient ?? c.request.subscriber;
  const sheet = [
    place.data?.name,
    `${name(who)}, born ${day(who.date_of_birth)}`,
    `Member ID ${c.request.subscriber.member_id}`,
    c.request.patient && `subscriber ${name(c.request.subscriber)}`,
    c.payer.name,
  ];
  const print = (office: boolean) => {
    flushSync(() => forOffice(office)); // the sheet is on the page before it is printed
    window.print();
    forOffice(true);
  };
  return (
    <Page
      title={name(who)}
      above={
        c.batch_id ? (
          <Go to={`/schedule/${c.batch_id}`}>The schedule that it is of</Go>
        ) : (
          <Back to="/eligibility">Eligibility</Back>
        )
      }
      curl={`/eligibility/${c.id}`}
      printed={
        <p>
          {mode === "test" && <strong>Test mode: not a real payer’s answer. </strong>}
          {sheet.filter(Boolean).join(" · ")} · checked <When value={c.created_at} full />
        </p>
      }
      about={
        <>
          <Coverage check={c} />
          <span className="no-print">
            Born <Day value={who.date_of_birth} />
          </span>
          <span className="no-print">Member ID {c.request.subscriber.member_id}</span>
          <span className="no-print">{c.payer.name}</span>
          {place.data && <span className="no-print">{place.data.name}</span>}
          <span>
            for <Day value={c.request.service_date} />
          </span>
          <Checked check={c} />
          {c.patient_id && (
            <Go to={`/patients/${c.patient_id}`} className="no-print">
              Everything about the patient
            </Go>
          )}
        </>
      }
      actions={
        <>
          {c.outcome === "answered" && (
            <More
              items={[
                { label: "For the office", onSelect: () => print(true) },
                { label: "For the patient, without codes", onSelect: () => print(false) },
              ]}
            >
              <Printer size={16} aria-hidden />
              Print
            </More>
          )}
          {may.write && c.outcome === "answered" && (
            <ButtonLink
              icon={<RotateCcw size={16} aria-hidden />}
              to="/eligibility/new"
              search={{ again: c.id }}
            >
              Check again
            </ButtonLink>
          )}
          {may.write && c.outcome === "answered" && (
            <ButtonLink
              icon={<Calculator size={16} aria-hidden />}
              to="/estimates/new"
              search={{ check_id: c.id }}
            >
              Estimate
            </ButtonLink>
          )}
          {may.write && c.status === "active" && (
            <ButtonLink
              look="primary"
              icon={<FilePlus2 size={16} aria-hidden />}
              to="/claims/new"
              search={{ check_id: c.id }}
            >
              New claim
            </ButtonLink>
          )}
        </>
      }
    >
      <VerdictOf check={c} />
      <Differs check={c} />
      {c.outcome === "answered" && <Answer check={c} office={office} />}
      <Additions check={c} />
      {may.write && c.outcome === "answered" && (
        <div className="no-print">
          <AddWhatWasSaid check={c} />
        </div>
      )}
      <div className="no-print">
        <Changed check={c} />
      </div>
      <div className="no-print">
        <Asked check={c} />
      </div>
      <Traces id={c.id} />
    </Page>
  );
}

/** Checked says when the payer was asked, and warns of an answer that is old. */
function Checked({ check: c }: { check: CheckResource }) {
  const may = useMay();
  const { days, old } = ageOf(dateIn(useZone(), new Date(c.created_at)), useToday());
  return (
    <>
      <span className="no-print">
        checked <When value={c.created_at} full />
      </span>
      {days > 0 && (
        <span className={old ? "aged no-print" : "no-print"}>
          {days === 1 ? "yesterday" : `${count(days, "day")} ago`}
          {old && may.write && c.outcome === "answered" && (
            <>
              {", "}
              <Go to="/eligibility/new" search={{ again: c.id }}>
                check again
              </Go>
            </>
          )}
        </span>
      )}
    </>
  );
}
