// One payer request: what the payer asks, and the answer to it on the same screen.
import { useParams } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useRef, useState } from "react";
import { isAPIError, newKey, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button } from "../../ui/button";
import { Copy, CopyButton } from "../../ui/copy";
import { Confirm, useLeaving } from "../../ui/dialog";
import { FaultsOf } from "../../ui/form";
import { Day, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Notes } from "../../ui/notes";
import { Facts, Failure, Loading, Notice, Page, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { State } from "../../ui/state";
import { Traces } from "../../ui/traces";
import { Documents } from "../attachments/documents";
import { Narrative } from "../attachments/narrative";
import { ForClaim } from "../attachments/new";
import { obstacle } from "../attachments/obstacle";
import { blank, SubjectFields, subjectBody, useOffices } from "../attachments/subject";
import { useUploads } from "../attachments/uploads";
import { TasksOf, useTasksOf } from "../today/about";
import { Due } from "./due";
import "./payer-requests.css";

type Request = Schemas["PayerRequest"];
type Attachment = Schemas["Attachment"];

export function PayerRequestDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const request = api.useQuery("get", "/payer_requests/{id}", { params: { path: { id } } });
  const attachments = api.useQuery("get", "/attachments", {
    params: { query: { payer_request_id: id, limit: 100 } },
  });
  const claimID = request.data?.claim_id;
  const claim = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: claimID ?? "" } } },
    { enabled: Boolean(claimID) },
  );
  const tasks = useTasksOf(id);
  const failed = request.error ?? attachments.error;
  if (!request.data || !attachments.data || tasks.isPending) {
    return (
      <Page title="Payer request">
        <Section flush={Boolean(failed)}>
          {failed ? (
            <Failure
              error={failed}
              retry={() => {
                void request.refetch();
                void attachments.refetch();
              }}
            />
          ) : (
            <Loading rows={10} />
          )}
        </Section>
      </Page>
    );
  }
  const r = request.data;
  const sent = attachments.data.data.find((a) => a.id === r.answering_attachment_id);
  const open = attachments.data.data.find((a) => a.state === "open");
  return (
    <Page
      title={`Request from ${r.payer.name}`}
      above={<Back to="/payer-requests">Payer requests</Back>}
      about={
        <>
          <State value={r.state} />
          {r.state === "open" ? (
            <Due request={r} />
          ) : (
            <span>
              Answered <When value={r.answered_at} />
            </span>
          )}
        </>
      }
      curl={`/payer_requests/${r.id}`}
    >
      <TasksOf tasks={tasks} />
      <div className="columns">
        <div>
          <Section title="What the payer asks for">
            <blockquote className="asked">{r.requested}</blockquote>
          </Section>
          {may.write && (
            <Answer key={r.id} request={r} attachment={open ?? null} sent={sent ?? null} />
          )}
          {r.state === "open" && !may.write && (
            <Notice title="A biller or an owner can answer this request." />
          )}
          {sent && <Sent attachment={sent} />}
          {r.answer_note && (
            <Section title="Your answer, outside of Molar">
              <p className="words">{r.answer_note}</p>
            </Section>
          )}
        </div>
        <div>
          <Section title="Request">
            <Facts
              items={[
                ["Reference", r.reference_number],
                ["Due", <Day key="d" value={r.due_date} />],
                ["Arrived", <When key="w" value={r.created_at} full />],
                [
                  "Source",
                  r.source === "network" ? "The attachment network" : "A letter, entered by hand",
                ],
              ]}
            />
            <p className="small">
              <Copy value={r.id} label="Copy the ID" />
            </p>
          </Section>
          {claim.data && claimID && (
            <Section title="Claim" actions={<Go to={`/claims/${claimID}`}>Open the claim</Go>}>
              <ForClaim claim={claim.data} />
            </Section>
          )}
          {!claimID && r.state === "open" && (
            <Notice title="No claim is linked">
              Your answer needs the patient, the plan and the dates of service.
            </Notice>
          )}
          <Notes of="/payer_requests/{id}/notes" id={r.id} />
          <Traces key={r.id} id={r.id} />
        </div>
      </div>
    </Page>
  );
}

/** Sent shows the answer that the payer has. */
function Sent({ attachment: a }: { attachment: Attachment }) {
  return (
    <>
      <Section
        title="Your answer"
        actions={<Go to={`/attachments/${a.id}`}>Open the attachment</Go>}
      >
        <Facts
          items={[
            ["Number", a.attachment_number],
            ["Sent", <When key="s" value={a.closed_at} full />],
          ]}
        />
        {a.narrative && <p className="words">{a.narrative}</p>}
      </Section>
      <Documents attachment={a} />
    </>
  );
}

/** Answer collects the images and the narrative of an answer, and sends them. What was written stays when
 *  another person answers first. */
function Answer({
  request: r,
  attachment,
  sent,
}: {
  request: Request;
  attachment: Attachment | null;
  sent: Attachment | null;
}) {
  const { fetch, queries } = useClient();
  const offices = useOffices();
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? attachment?.narrative ?? "";
  const [subject, setSubject] = useState(blank);
  const [refused, setRefused] = useState<Schemas["Error"] | null>(null);
  const made = useRef<Attachment | null>(null); // by the first image
  const about = r.claim_id ? {} : subjectBody(subject, offices);
  const asks = !r.claim_id && !attachment;

  /** into returns the attachment of the answer, which the first image creates. */
  const into = async (): Promise<Attachment> => {
    const known = attachment ?? made.current;
    if (known) return known;
    const { data, error } = await fetch.POST("/attachments", {
      params: { header: { "Idempotency-Key": newKey() } },
      body: { kind: "solicited", payer_request_id: r.id, narrative: text || null, ...about },
    });
    if (error) {
      setRefused(error);
      throw error;
    }
    setRefused(null);
    made.current = data;
    await queries.invalidateQueries({ queryKey: ["get", "/attachments"] });
    return data;
  };

  const uploads = useUploads(into);
  const open = r.state === "open";
  const same = (of: Attachment | null) => text.trim() === (of?.narrative ?? "").trim();
  const unsent = typed !== null && (open ? text !== (attachment?.narrative ?? "") : !same(sent));
  const leaving = useLeaving(() => unsent || (open && uploads.all.length > 0));
  const answer = useSend(
    async (api, key) => {
      const known = attachment ?? made.current;
      return api.POST("/payer_requests/{id}/answer", {
        params: { path: { id: r.id }, header: key },
        body: known
          ? { attachment_id: known.id, narrative: text || null }
          : { narrative: text || null, ...about },
      });
    },
    {
      says: (out) =>
        out.attachment && same(out.attachment)
          ? `Sent to ${out.payer_request.payer.name} as ${out.attachment.attachment_number}.`
          : "The request was already answered.",
    },
  );
  const refusal = isAPIError(answer.error) ? answer.error : refused;
  if (!open) {
    const known = sent !== null || r.answering_attachment_id === null;
    return (
      <>
        {unsent && known && (
          <Section title="What you wrote was not sent">
            <p>
              The request was answered meanwhile. Copy your words if the payer still needs them.
            </p>
            <p className="words">
              {text} <CopyButton value={text} label="Copy the words" />
            </p>
          </Section>
        )}
        {leaving.dialog}
      </>
    );
  }
  const images = attachment?.documents.length ?? 0;
  const why = obstacle(uploads.all.length, [...text].length, [
    images === 0 && !text.trim(),
    "Add an image or write a narrative.",
  ]);
  return (
    <FaultsOf list={refusal?.errors ?? []} request={{ narrative: text, ...about }}>
      {asks && (
        <Section title="Patient and plan">
          <SubjectFields value={subject} onChange={setSubject} />
        </Section>
      )}
      <Documents attachment={attachment} uploads={uploads} />
      <Section title="Narrative">
        <Narrative
          value={text}
          onChange={setTyped}
          placeholder="What the images show, or the answer in words."
        />
        <div className="row">
          <Confirm
            title="Send the answer?"
            action="Send the answer"
            busy={answer.isPending}
            onConfirm={() => answer.go()}
            trigger={(ask) => (
              <Button
                data-act="answerPayerRequest"
                look="primary"
                icon={<Send size={16} aria-hidden />}
                busy={answer.isPending}
                disabled={why !== ""}
                onClick={ask}
              >
                {answer.isPending ? "Sending…" : "Send to the payer"}
              </Button>
            )}
          >
            <p>
              Molar sends{" "}
              {[images > 0 && count(images, "image"), text.trim() && "the narrative"]
                .filter(Boolean)
                .join(" and ")}{" "}
              to {r.payer.name} for reference {r.reference_number}. You cannot change it afterwards.
            </p>
          </Confirm>
          <span className="hint" role="status">
            {answer.isPending ? "The network may take up to half a minute." : why}
          </span>
        </div>
      </Section>
      {leaving.dialog}
    </FaultsOf>
  );
}
