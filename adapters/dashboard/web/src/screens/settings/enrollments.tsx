// The enrollments of an office: which payers accept what it sends, as the network reports it.
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { FormEnd, Modal } from "../../ui/dialog";
import { AreaField, FaultsOf, SelectField } from "../../ui/form";
import { Day } from "../../ui/format";
import { Empty, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { count } from "../../ui/plural";
import { type Act, sent, useMany } from "../../ui/selection";
import { Badge, type Tone } from "../../ui/state";
import { List, paged, rowsOf } from "../../ui/table";
import { useAssignTasks } from "../today/many";

type Enrollment = Schemas["Enrollment"];
type State = Schemas["EnrollmentState"];

/** states has the states in the words of a biller, in the order in which they come. */
const states: Record<State, string> = {
  needed: "Needed",
  submitted: "Applied for",
  active: "Active",
  rejected: "Refused",
  not_needed: "Not needed",
};

const sends: Record<Schemas["EnrolledTransaction"], string> = {
  claims: "Claims",
  eligibility: "Eligibility checks",
  claim_status: "Claim status",
};

/** waits reports whether a person has something to do about an enrollment. */
const waits = (e: Enrollment) => e.state === "needed" || e.state === "rejected";

/** after is the state that mostly comes next. */
const after = (s: State): State => (s === "submitted" ? "active" : "submitted");

const sendsOf = (e: Enrollment) => (sends[e.transaction] ?? e.transaction).toLowerCase();

/** recordLabel names the button of a row to those who hear it alone. */
const recordLabel = (e: Enrollment) => {
  return `Record the enrollment with ${e.payer.name} for ${sendsOf(e)}`;
};

/** Enrollments lists the enrollments of an office. */
export function Enrollments({ office }: { office: Schemas["Office"] }) {
  const { api } = useClient();
  const may = useMay();
  const [recording, record] = useState<Enrollment | "new" | null>(null);
  const list = api.useInfiniteQuery(
    "get",
    "/enrollments",
    { params: { query: { office_id: office.id, limit: 50 } } },
    paged,
  );
  const assign = useAssignTasks<Enrollment>();
  const many = useMany(rowsOf(list), {
    id: (e) => e.id,
    name: (e) => `${e.payer.name}, ${sendsOf(e)}`,
    acts: [recordAll, { ...assign, not: (e) => (waits(e) ? null : "It has no task.") }],
    more: () => {
      if (list.hasNextPage) void list.fetchNextPage();
    },
  });
  return (
    <Section
      title="Enrollments"
      flush
      actions={may.write && <Button onClick={() => record("new")}>Record an enrollment</Button>}
    >
      <List
        of={list}
        many={many}
        caption="Enrollments"
        id={(e) => e.id}
        columns={[
          { head: "Payer", cell: (e) => <span className="strong">{e.payer.name}</span> },
          { head: "For", cell: (e) => sends[e.transaction] ?? e.transaction },
          {
            head: "State",
            cell: (e) => {
              const other: Tone = e.state === "active" ? "good" : "plain";
              return <Badge tone={waits(e) ? "warn" : other}>{states[e.state] ?? e.state}</Badge>;
            },
          },
          { head: "Since", cell: (e) => <Day value={e.date} /> },
          {
            head: "Message and note",
            wide: true,
            cell: (e) => (
              <span className="wrap-anywhere">
                {e.network_message}
                {e.note && <span className="sub">{e.note}</span>}
              </span>
            ),
          },
          {
            head: "Actions",
            right: true,
            cell: (e) =>
              may.write && (
                <Button
                  data-act={waits(e) ? "putEnrollment" : undefined}
                  data-of={e.id}
                  aria-label={recordLabel(e)}
                  onClick={() => record(e)}
                >
                  Record
                </Button>
              ),
          },
        ]}
        empty={
          <Empty title="No enrollments">
            A payer that is not listed accepts what the office sends. Some payers want the office to
            enroll first.
          </Empty>
        }
      />
      {recording && (
        <Record
          key={recording === "new" ? "new" : recording.id}
          office={office}
          was={recording === "new" ? null : recording}
          close={() => record(null)}
        />
      )}
    </Section>
  );
}

/** recordAll writes down for many enrollments that they have come into a state. */
const recordAll: Act<Enrollment> = {
  name: "Record",
  did: "recorded",
  title: (rows) => `Where are ${count(rows.length, "enrollment")} now?`,
  ask: (_, go) => (
    <div className="choices">
      {Object.entries(states).map(([state, word]) => (
        <Button key={state} onClick={() => go(state)}>
          {word}
        </Button>
      ))}
    </div>
  ),
  send: async (api, key, e, state) => {
    const { office_id, payer, transaction, note, network_message } = e;
    const body = { office_id, payer_id: payer.payer_id, transaction, note, network_message };
    await sent(
      api.PUT("/enrollments", {
        params: { header: key },
        body: { ...body, state: state as State },
      }),
    );
    return `${states[state as State]}.`;
  },
};

/** Record writes down where an enrollment is, as the network or the payer says it. */
function Record({
  office,
  was,
  close,
}: {
  office: Schemas["Office"];
  was: Enrollment | null;
  close: () => void;
}) {
  const [payer, setPayer] = useState<PickedPayer | null>(was?.payer ?? null);
  const [transaction, setTransaction] = useState(was?.transaction ?? "claims");
  const [state, setState] = useState<State>(was ? after(was.state) : "needed");
  const [note, setNote] = useState(was?.note ?? "");
  const [message, setMessage] = useState("");
  const body = {
    office_id: office.id,
    payer_id: payer?.payer_id ?? "",
    transaction,
    state,
    note: note.trim() || null,
    network_message: message.trim() || null,
  };
  const send = useSend((api, key) => api.PUT("/enrollments", { params: { header: key }, body }), {
    says: "The enrollment is recorded.",
    done: close,
    refused: (e) => isAPIError(e) && e.errors.length > 0,
  });
  return (
    <Modal
      title={was ? `Enrollment with ${was.payer.name}` : "Record an enrollment"}
      open
      onOpenChange={(o) => {
        if (!o) close();
      }}
    >
      <FaultsOf list={isAPIError(send.error) ? send.error.errors : []} request={body}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            send.go();
          }}
        >
          {was ? (
            <p>
              For {(sends[was.transaction] ?? was.transaction).toLowerCase()} of {office.name}. You
              apply with the network or the payer, and record here where it is.
            </p>
          ) : (
            <>
              <PayerPicker label="Payer" path="payer_id" value={payer} onChange={setPayer} />
              <SelectField
                label="For"
                path="transaction"
                value={transaction}
                onChange={(v) => setTransaction(v as typeof transaction)}
                options={Object.entries(sends)}
              />
            </>
          )}
          <SelectField
            label="State"
            path="state"
            value={state}
            onChange={(v) => setState(v as State)}
            options={Object.entries(states)}
          />
          <AreaField
            label="What the network or the payer said"
            path="network_message"
            optional
            rows={2}
            maxLength={2000}
            value={message}
            onChange={setMessage}
          />
          <AreaField
            label="Note"
            path="note"
            optional
            rows={2}
            maxLength={400}
            value={note}
            onChange={setNote}
          />
          <FormEnd busy={send.isPending}>Record</FormEnd>
        </form>
      </FaultsOf>
    </Modal>
  );
}
