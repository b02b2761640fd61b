// One patient: the checks, claims, attachments, payer requests and remittances about them.
import { useParams } from "@tanstack/react-router";
import { type Schemas, useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../ui/button";
import { Day, Days, Money, name, printable, When } from "../../ui/format";
import { Empty, Page, Section, Waiting } from "../../ui/page";
import { State } from "../../ui/state";
import { List, type Listing, paged } from "../../ui/table";
import { contents } from "../attachments/list";
import { useTypes } from "../attachments/uploads";
import { type CheckResource, Coverage } from "../eligibility/list";
import { Due } from "../payer-requests/due";
import { Standing } from "../remittances/standing";

export function PatientDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const patient = api.useQuery("get", "/patients/{id}", { params: { path: { id } } });
  const about = { params: { query: { patient_id: id, limit: 10 } } };
  const checks = api.useInfiniteQuery("get", "/eligibility", about, paged);
  const claims = api.useInfiniteQuery("get", "/claims", about, paged);
  const attachments = api.useInfiniteQuery("get", "/attachments", about, paged);
  const requests = api.useInfiniteQuery("get", "/payer_requests", about, paged);
  const remittances = api.useInfiniteQuery("get", "/eras", about, paged);
  if (!patient.data) return <Waiting title="Patient" rows={10} of={patient} />;
  // A list that comes later would move those below it.
  const waited = [checks, claims, attachments, requests, remittances].find((l) => l.isPending);
  if (waited) return <Waiting title={name(patient.data)} rows={10} of={waited} />;
  return (
    <Page
      title={name(patient.data)}
      about={
        <span>
          Born <Day value={patient.data.date_of_birth} />
        </span>
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
      <Checks of={checks} />
      <Claims of={claims} />
      <Attachments of={attachments} />
      <PayerRequests of={requests} />
      <Remittances of={remittances} />
    </Page>
  );
}

function Checks({ of }: { of: Listing<CheckResource> }) {
  return (
    <Section title="Eligibility checks" flush>
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

function Claims({ of }: { of: Listing<Schemas["ClaimSummary"]> }) {
  return (
    <Section title="Claims and predeterminations" flush>
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
          { head: "Charge", right: true, cell: (c) => <Money value={c.totals.charge} /> },
          {
            head: "Paid",
            right: true,
            cell: (c) => <Money value={c.payment?.paid ?? c.estimate?.pay} />,
          },
          {
            head: "Patient owes",
            right: true,
            cell: (c) => <Money value={c.payment?.patient_responsibility ?? c.estimate?.patient} />,
          },
        ]}
        empty={<Empty title="No claims" />}
      />
    </Section>
  );
}

function Attachments({ of }: { of: Listing<Schemas["Attachment"]> }) {
  const types = useTypes();
  return (
    <Section title="Attachments to claims" flush>
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

function PayerRequests({ of }: { of: Listing<Schemas["PayerRequest"]> }) {
  return (
    <Section title="Payer requests" flush>
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

function Remittances({ of }: { of: Listing<Schemas["ERASummary"]> }) {
  return (
    <Section title="Remittances" flush>
      <List
        of={of}
        caption="Remittances"
        id={(e) => e.id}
        to={(e) => `/remittances/${e.id}`}
        columns={[
          { head: "Payer", cell: (e) => printable(e.payer?.name ?? e.payer_name) },
          { head: "State", cell: (e) => <Standing era={e} /> },
          { head: "Number", cell: (e) => printable(e.payment.trace_number) },
          { head: "Date", cell: (e) => <Day value={e.payment.date} /> },
        ]}
        empty={<Empty title="No remittances" />}
      />
    </Section>
  );
}
