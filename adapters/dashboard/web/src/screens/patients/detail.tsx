// One patient: who they are, their plans, what they owe, and what there is about them, newest first.
import { useParams } from "@tanstack/react-router";
import { type Schemas, useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../ui/button";
import { cents, Day, Days, day, Money, None, name, printable, When, words } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Notice, Page, Section, Waiting } from "../../ui/page";
import { useSeen } from "../../ui/seen";
import { State } from "../../ui/state";
import { List, type Listing, Table } from "../../ui/table";
import { contents } from "../attachments/list";
import { useTypes } from "../attachments/uploads";
import { type CheckResource, Coverage } from "../eligibility/list";
import { between } from "../estimates/lines";
import { Due } from "../payer-requests/due";

type Overview = Schemas["PatientOverview"];

export function PatientDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const overview = api.useQuery("get", "/patients/{id}/overview", { params: { path: { id } } });
  useSeen(id, overview.data?.patient);
  if (!overview.data) return <Waiting title="Patient" rows={10} of={overview} />;
  const o = overview.data;
  return (
    <Page
      title={name(o.patient)}
      curl={`/patients/${id}/overview`}
      about={
        <>
          <span>
            Born <Day value={o.patient.date_of_birth} />
          </span>
          {o.coverages.map((c) => (
            <span key={c.eligibility_id}>
              Member ID {c.member_id}, {c.payer.name}
            </span>
          ))}
          <span>
            {cents(o.owed) > 0 ? (
              <>
                Owes <Money value={o.owed} strong />
              </>
            ) : (
              "Owes nothing"
            )}
          </span>
        </>
      }
      actions={
        may.write && (
          <>
            <ButtonLink to="/eligibility/new" search={{ patient_id: id }}>
              New check
            </ButtonLink>
            <ButtonLink look="primary" to="/claims/new" search={{ patient_id: id }}>
              New claim
            </ButtonLink>
          </>
        )
      }
    >
      {o.may_be_same.length > 0 && <MayBeSame people={o.may_be_same} />}
      <Plans rows={o.coverages} />
      <Checks of={listed(o.checks)} id={id} />
      <Estimates of={listed(o.estimates)} />
      <Claims of={listed(o.claims)} id={id} />
      <Attachments of={listed(o.attachments)} id={id} />
      <PayerRequests of={listed(o.payer_requests)} id={id} />
    </Page>
  );
}

/** listed returns rows as a list that is loaded. */
function listed<T>(data: T[]): Listing<T> {
  return {
    data: { pages: [{ data }] },
    error: null,
    isPending: false,
    isFetchingNextPage: false,
    hasNextPage: false,
    fetchNextPage: () => undefined,
    refetch: () => undefined,
  };
}

function MayBeSame({ people }: { people: Overview["may_be_same"] }) {
  return (
    <Notice tone="warn" title="This may be the same person under another name.">
      {people.map((p) => (
        <p key={p.id}>
          <Go to={`/patients/${p.id}`}>{name(p)}</Go>, born {day(p.date_of_birth)}, has the same
          member ID. Or they are twins.
        </p>
      ))}
    </Notice>
  );
}

function Plans({ rows }: { rows: Overview["coverages"] }) {
  return (
    <Section title="Plans" flush>
      {rows.length === 0 ? (
        <Empty title="No plan is known">A check asks the payer about it.</Empty>
      ) : (
        <Table
          caption="Plans"
          rows={rows}
          id={(c) => c.eligibility_id}
          to={(c) => `/eligibility/${c.eligibility_id}`}
          columns={[
            { head: "Payer", cell: (c) => c.payer.name },
            { head: "Coverage", cell: (c) => <State value={c.status}>{status(c.status)}</State> },
            { head: "Member ID", cell: (c) => c.member_id },
            {
              head: "Plan",
              wide: true,
              cell: (c) => (c.plan_name ? printable(c.plan_name) : <None />),
            },
            {
              head: "Subscriber",
              cell: (c) =>
                c.relationship === "self"
                  ? "The patient"
                  : `${name(c.subscriber_name)} (patient: ${words(c.relationship).toLowerCase()})`,
            },
            { head: "Until", cell: (c) => <Day value={c.coverage_termination_date} /> },
            { head: "Checked", cell: (c) => <When value={c.checked_at} /> },
          ]}
        />
      )}
    </Section>
  );
}

function status(s: Overview["coverages"][number]["status"]): string {
  if (s === "active") return "Covered";
  return s === "inactive" ? "Not covered" : "Coverage not stated";
}

/** rows is the length of a list of an overview, which may have more. */
const rows = 10;

function Checks({ of, id }: { of: Listing<CheckResource>; id: string }) {
  return (
    <Section
      title="Eligibility checks"
      flush
      actions={
        (of.data?.pages[0]?.data.length ?? 0) >= rows && (
          <Go to="/eligibility" search={{ patient_id: id }}>
            All
          </Go>
        )
      }
    >
      <List
        of={of}
        caption="Eligibility checks"
        id={(c) => c.id}
        to={(c) => `/eligibility/${c.id}`}
        columns={[
          { head: "Payer", cell: (c) => c.payer.name },
          { head: "Coverage", cell: (c) => <Coverage check={c} /> },
          { head: "Service date", cell: (c) => <Day value={c.request.service_date} /> },
          { head: "Asked", cell: (c) => <When value={c.created_at} /> },
        ]}
        empty={<Empty title="No checks" />}
      />
    </Section>
  );
}

function Estimates({ of }: { of: Listing<Schemas["Estimate"]> }) {
  return (
    <Section title="Estimates" flush>
      <List
        of={of}
        caption="Estimates"
        id={(e) => e.id ?? ""}
        to={(e) => `/estimates/${e.id}`}
        columns={[
          { head: "Services", cell: (e) => words(e.lines.map((l) => l.procedure).join(", ")) },
          { head: "Payer", cell: (e) => e.payer.name },
          { head: "Fees", right: true, cell: (e) => between(e.totals.fee) },
          { head: "Patient pays", right: true, cell: (e) => between(e.totals.patient_pays) },
          { head: "Made", cell: (e) => <When value={e.created_at} /> },
        ]}
        empty={<Empty title="No estimates">A check that the payer has answered makes one.</Empty>}
      />
    </Section>
  );
}

function Claims({ of, id }: { of: Listing<Schemas["ClaimSummary"]>; id: string }) {
  return (
    <Section
      title="Claims and predeterminations"
      flush
      actions={
        <>
          <Go to="/remittances" search={{ patient_id: id, state: "any" }}>
            Remittances
          </Go>
          {(of.data?.pages[0]?.data.length ?? 0) >= rows && (
            <Go to="/claims" search={{ patient_id: id }}>
              All
            </Go>
          )}
        </>
      }
    >
      <List
        of={of}
        caption="Claims and predeterminations"
        id={(c) => c.id}
        to={(c) => `/claims/${c.id}`}
        columns={[
          {
            head: "Payer",
            cell: (c) => (
              <>
                {c.payer.name}
                {c.kind === "predetermination" && <span className="sub">Predetermination</span>}
              </>
            ),
          },
          { head: "State", cell: (c) => <State value={c.state} /> },
          {
            head: "Service",
            cell: (c) => <Days from={c.service_dates.first} to={c.service_dates.last} />,
          },
          {
            head: "Charge",
            right: true,
            cell: (c) => <Money value={c.totals.charge} />,
            sum: (c) => c.totals.charge,
          },
          {
            head: "Paid",
            right: true,
            cell: (c) => <Money value={c.payment?.paid ?? c.estimate?.pay} />,
            sum: (c) => c.payment?.paid ?? c.estimate?.pay,
          },
          {
            head: "Patient owes",
            right: true,
            cell: (c) => <Money value={c.payment?.patient_responsibility ?? c.estimate?.patient} />,
            sum: (c) => c.payment?.patient_responsibility ?? c.estimate?.patient,
          },
        ]}
        empty={<Empty title="No claims" />}
      />
    </Section>
  );
}

function Attachments({ of, id }: { of: Listing<Schemas["Attachment"]>; id: string }) {
  const types = useTypes();
  return (
    <Section
      title="Attachments to claims"
      flush
      actions={
        (of.data?.pages[0]?.data.length ?? 0) >= rows && (
          <Go to="/attachments" search={{ patient_id: id }}>
            All
          </Go>
        )
      }
    >
      <List
        of={of}
        caption="Attachments to claims"
        id={(a) => a.id}
        to={(a) => `/attachments/${a.id}`}
        columns={[
          { head: "Images", cell: (a) => contents(a, types) },
          { head: "State", cell: (a) => <State value={a.state} /> },
          { head: "Payer", cell: (a) => a.payer.name },
          { head: "Changed", cell: (a) => <When value={a.updated_at} /> },
        ]}
        empty={<Empty title="No attachments" />}
      />
    </Section>
  );
}

function PayerRequests({ of, id }: { of: Listing<Schemas["PayerRequest"]>; id: string }) {
  return (
    <Section
      title="Payer requests"
      flush
      actions={
        (of.data?.pages[0]?.data.length ?? 0) >= rows && (
          <Go to="/payer-requests" search={{ patient_id: id }}>
            All
          </Go>
        )
      }
    >
      <List
        of={of}
        caption="Payer requests"
        id={(r) => r.id}
        to={(r) => `/payer-requests/${r.id}`}
        columns={[
          { head: "Payer", cell: (r) => r.payer.name },
          { head: "Due", cell: (r) => <Due request={r} /> },
          { head: "Asks for", cell: (r) => r.requested },
          { head: "Arrived", cell: (r) => <When value={r.created_at} /> },
        ]}
        empty={<Empty title="No payer requests" />}
      />
    </Section>
  );
}
