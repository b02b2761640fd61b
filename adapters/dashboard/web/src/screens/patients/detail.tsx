// One patient: the checks, claims, attachments, payer requests and remittances about them.
import { useParams } from "@tanstack/react-router";
import { useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../ui/button";
import { Day, Days, Money, name, printable, When } from "../../ui/format";
import { Empty, Page, Section, Waiting } from "../../ui/page";
import { State } from "../../ui/state";
import { List, paged } from "../../ui/table";
import { contents } from "../attachments/list";
import { useTypes } from "../attachments/uploads";
import { Coverage } from "../eligibility/list";
import { Due } from "../payer-requests/due";
import { Standing } from "../remittances/standing";

export function PatientDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const patient = api.useQuery("get", "/patients/{id}", { params: { path: { id } } });
  if (!patient.data) return <Waiting title="Patient" rows={10} of={patient} />;
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
          <ButtonLink look="primary" to="/claims/new" search={{ patient_id: id }}>
            New claim
          </ButtonLink>
        )
      }
    >
      <Checks patient={id} />
      <Claims patient={id} />
      <Attachments patient={id} />
      <PayerRequests patient={id} />
      <Remittances patient={id} />
    </Page>
  );
}

type Of = { patient: string };

/** of returns the first page of a list about a patient. */
const of = (patient: string) => ({ params: { query: { patient_id: patient, limit: 10 } } });

function Checks({ patient }: Of) {
  const { api } = useClient();
  const checks = api.useInfiniteQuery("get", "/eligibility", of(patient), paged);
  return (
    <Section title="Eligibility checks" flush>
      <List
        of={checks}
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

function Claims({ patient }: Of) {
  const { api } = useClient();
  const claims = api.useInfiniteQuery("get", "/claims", of(patient), paged);
  return (
    <Section title="Claims and predeterminations" flush>
      <List
        of={claims}
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

function Attachments({ patient }: Of) {
  const { api } = useClient();
  const types = useTypes();
  const attachments = api.useInfiniteQuery("get", "/attachments", of(patient), paged);
  return (
    <Section title="Attachments to claims" flush>
      <List
        of={attachments}
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

function PayerRequests({ patient }: Of) {
  const { api } = useClient();
  const requests = api.useInfiniteQuery("get", "/payer_requests", of(patient), paged);
  return (
    <Section title="Payer requests" flush>
      <List
        of={requests}
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

function Remittances({ patient }: Of) {
  const { api } = useClient();
  const remittances = api.useInfiniteQuery("get", "/eras", of(patient), paged);
  return (
    <Section title="Remittances" flush>
      <List
        of={remittances}
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
