// Files that Molar cannot place: a person assigns each to an office, or deletes it.
import { type ReactNode, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button } from "../../ui/button";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { Day, Money, None, printable, When } from "../../ui/format";
import { useGo } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { count, plural } from "../../ui/plural";
import { type Act, sent, useMany } from "../../ui/selection";
import { List, paged, rowsOf } from "../../ui/table";
import { useAssignTasks } from "../today/many";
import { methodLabel } from "./standing";
import "./remittances.css";

type Quarantined = Schemas["QuarantinedFile"];

export function Quarantine() {
  const { api } = useClient();
  const may = useMay();
  const [{ order }] = useFilters("/remittances/quarantine");
  const give = useAssignTasks<Quarantined>();
  const files = api.useInfiniteQuery(
    "get",
    "/quarantine",
    { params: { query: { limit: 50, order } } },
    paged,
  );
  const many = useMany(rowsOf(files), {
    id: (f) => f.id,
    name: (f) => printable([f.payer_name, f.file_name].filter(Boolean).join(", ")),
    amount: (f) => f.payment?.total,
    acts: [toOffice, { ...give, name: "Give to a person" }],
    more: () => {
      if (files.hasNextPage) void files.fetchNextPage();
    },
  });
  return (
    <Page
      title="Quarantine"
      above={<Back to="/remittances">Remittances</Back>}
      about="Payments that match none of your offices, and files that cannot be read"
      list="/quarantine"
    >
      <Section flush>
        <List
          of={files}
          many={many}
          caption="Files in quarantine"
          id={(f) => f.id}
          columns={[
            {
              head: "Payer",
              cell: (f) => (
                <>
                  <span className="strong">{printable(f.payer_name ?? f.file_name)}</span>
                  {f.payer_name && (
                    <span className="sub wrap-anywhere">{printable(f.file_name)}</span>
                  )}
                </>
              ),
            },
            {
              head: "Paid to",
              cell: (f) =>
                f.payee ? (
                  <div>
                    {printable(f.payee.name ?? "No name")}
                    <span className="sub numbers">
                      {f.payee.npi
                        ? `NPI ${printable(f.payee.npi)}`
                        : f.payee.tax_id && `Tax ID ${printable(f.payee.tax_id)}`}
                    </span>
                  </div>
                ) : (
                  <None />
                ),
            },
            {
              head: "Payment",
              cell: (f) =>
                f.payment ? (
                  <div className="trace">
                    {methodLabel(f.payment.method)}
                    <span className="sub numbers">{printable(f.payment.trace_number)}</span>
                  </div>
                ) : (
                  <None />
                ),
            },
            { head: "Date", wide: true, cell: (f) => <Day value={f.payment?.date} /> },
            {
              head: "Amount",
              right: true,
              sum: (f) => f.payment?.total,
              cell: (f) => (
                <div>
                  <Money value={f.payment?.total} strong />
                  {f.claim_count !== null && (
                    <span className="sub">{count(f.claim_count, "claim")}</span>
                  )}
                </div>
              ),
            },
            { head: "Received", wide: true, cell: (f) => <When value={f.received_at} /> },
          ]}
          open={(f) => (
            <div className="decision">
              <div>
                <p className="wrap-anywhere">{printable(f.reason)}</p>
              </div>
              {may.write && (
                <div className="row no-print">
                  {f.payment && <Assign file={f} />}
                  <Delete file={f} />
                </div>
              )}
            </div>
          )}
          empty={
            <Empty title="Nothing is in quarantine">
              A payment appears here when none of your offices has the NPI or the tax ID that it
              names.
            </Empty>
          }
        />
      </Section>
    </Page>
  );
}

/** toOffice imports many payments for one office. */
const toOffice: Act<Quarantined> = {
  name: "Assign to an office",
  did: "assigned",
  not: (f) => (f.payment ? null : "It is no payment. Delete it, or import it again."),
  title: (rows) => `Which office received ${count(rows.length, "payment")}?`,
  ask: (rows, go) => (
    <ToOffice go={go}>
      Check that the office received {plural(rows.length, "this payment", "each of these payments")}
      . The files name whom the payers paid.
    </ToOffice>
  ),
  send: async (api, key, f, office_id) => {
    const made = await sent(
      api.POST("/quarantine/{id}/assign", {
        params: { path: { id: f.id }, header: key },
        body: { office_id },
      }),
    );
    return `Imported: ${count(made.payments.length, "payment")}.`;
  },
};

/** ToOffice asks which office received payments. */
function ToOffice({
  go,
  busy,
  children,
}: {
  go: (office: string) => void;
  busy?: boolean;
  children: ReactNode; // what to compare first
}) {
  const { api } = useClient();
  const [office, setOffice] = useState("");
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  return (
    <form
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        if (office) go(office);
      }}
    >
      <p>{children}</p>
      <SelectField
        label="Office"
        value={office}
        onChange={setOffice}
        required
        options={[
          ["", "Choose an office"],
          ...(offices.data?.data ?? []).map((o) => [o.id, o.name] as const),
        ]}
      />
      <div className="dialog-actions">
        <Cancel />
        <Button type="submit" look="primary" busy={busy}>
          Assign
        </Button>
      </div>
    </form>
  );
}

/** Assign imports a payment for an office that a person chooses. */
function Assign({ file }: { file: Quarantined }) {
  const go = useGo();
  const [open, setOpen] = useState(false);
  const send = useSend(
    (http, key, office_id: string) =>
      http.POST("/quarantine/{id}/assign", {
        params: { path: { id: file.id }, header: key },
        body: { office_id },
      }),
    {
      says: "The payment is assigned.",
      done: (made) => {
        setOpen(false);
        const era = made.payments.find((p) => p.era_id)?.era_id;
        if (era) go(`/remittances/${era}`);
      },
    },
  );
  return (
    <>
      <Button
        look="primary"
        data-act="assignQuarantinedFile"
        data-of={file.id}
        onClick={() => setOpen(true)}
      >
        Assign to an office
      </Button>
      <Modal title="Assign the payment" open={open} onOpenChange={setOpen}>
        <ToOffice go={send.go} busy={send.isPending}>
          The file names <span className="strong">{printable(file.payee?.name ?? "no payee")}</span>
          . Check that the office received this payment.
        </ToOffice>
      </Modal>
    </>
  );
}

function Delete({ file }: { file: Quarantined }) {
  const send = useSend(
    (http, key) =>
      http.DELETE("/quarantine/{id}", { params: { path: { id: file.id }, header: key } }),
    { says: "The file is deleted." },
  );
  return (
    <Confirm
      title="Delete the file?"
      action="Delete"
      danger
      onConfirm={() => send.go()}
      trigger={(open) => (
        <Button
          data-act={file.payment ? undefined : "deleteQuarantinedFile"}
          data-of={file.id}
          busy={send.isPending}
          onClick={open}
        >
          Delete
        </Button>
      )}
    >
      <p>
        Molar deletes {printable(file.file_name)} for good. You can import it again if you still
        have it.
      </p>
    </Confirm>
  );
}
