// One attachment: its images, its narrative, and what goes to the payer.
import { useParams } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useState } from "react";
import { newKey, type Schemas, seen, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button, ButtonLink } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { Confirm, useLeaving } from "../../ui/dialog";
import { name, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { changedOf, Meanwhile } from "../../ui/meanwhile";
import { Notes } from "../../ui/notes";
import { Facts, Notice, Page, Section, Waiting } from "../../ui/page";
import { count } from "../../ui/plural";
import { State } from "../../ui/state";
import { Traces } from "../../ui/traces";
import { TasksOf, type TasksOfOne, useTasksOf } from "../today/about";
import { Documents } from "./documents";
import { contents } from "./list";
import { maxNarrative, Narrative } from "./narrative";
import { ForClaim } from "./new";
import { obstacle } from "./obstacle";
import { useTypes, useUploads } from "./uploads";

type Attachment = Schemas["Attachment"];

export function AttachmentDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const attachment = api.useQuery("get", "/attachments/{id}", { params: { path: { id } } });
  const tasks = useTasksOf(id);
  if (!attachment.data || tasks.isPending)
    return <Waiting title="Attachment" rows={10} of={attachment.data ? tasks : attachment} />;
  return <Shown key={id} attachment={attachment.data} tasks={tasks} />;
}

function Shown({ attachment: a, tasks }: { attachment: Attachment; tasks: TasksOfOne }) {
  const client = useClient();
  const { api, queries } = client;
  const may = useMay();
  const types = useTypes();
  const uploads = useUploads(() => Promise.resolve(a));
  const claim = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: a.claim_id ?? "" } } },
    { enabled: Boolean(a.claim_id) },
  );
  const [typed, setTyped] = useState<{ text: string; on: Attachment } | null>(null); // what is not saved yet
  const text = typed?.text ?? a.narrative;
  const open = a.state === "open";
  const edits = open && may.write;
  const solicited = a.kind === "solicited";
  const changed = text !== a.narrative;
  const path = { id: a.id };
  /** catchUp lets what was typed follow what another person saved. */
  const catchUp = async () => {
    const { data } = await client.fetch.GET("/attachments/{id}", { params: { path } });
    if (data) setTyped((t) => t && { ...t, on: data });
  };
  const save = useSend(
    (fetch, key) =>
      fetch.PATCH("/attachments/{id}", {
        params: { path, header: { ...key, ...seen(typed?.on ?? a) } },
        body: { narrative: text },
      }),
    {
      refused: (e) => changedOf(e) !== null,
      failed: (e) => {
        if (changedOf(e)) void catchUp();
      },
      says: "The narrative is saved.",
      done: (saved) => {
        queries.setQueryData(["get", "/attachments/{id}", { params: { path } }], saved);
        setTyped(null);
      },
    },
  );
  const close = useSend(
    async (fetch, key) => {
      if (changed) {
        const saved = await fetch.PATCH("/attachments/{id}", {
          params: { path, header: { "Idempotency-Key": newKey(), ...seen(typed?.on ?? a) } },
          body: { narrative: text },
        });
        if (saved.error) return saved;
      }
      return fetch.POST("/attachments/{id}/close", { params: { path, header: key } });
    },
    {
      failed: (e) => {
        if (changedOf(e)) void catchUp();
      },
      says: (sent) => `Sent to the payer as ${sent.attachment_number}.`,
    },
  );
  const leaving = useLeaving(() => changed || uploads.all.length > 0);
  const meanwhile = typed && changedOf(save.error);
  const why = obstacle(uploads.all.length, [...text].length, [
    a.documents.length === 0,
    "Add at least one image first.",
  ]);
  const named = a.documents.length > 0 ? contents(a, types) : "Attachment";
  return (
    <Page
      title={claim.data ? name(claim.data.patient_name) : named}
      above={<Back to="/attachments">Attachments</Back>}
      about={
        <>
          <State value={a.state} />
          <span>
            {solicited ? "Reply to a request from" : "Attachment to"} {a.payer.name}
          </span>
          {a.attachment_number && (
            <span>
              Number <strong>{a.attachment_number}</strong>
            </span>
          )}
          {a.closed_at && <When value={a.closed_at} />}
        </>
      }
      curl={`/attachments/${a.id}`}
      actions={
        <>
          {edits && solicited && (
            <ButtonLink look="primary" to={`/payer-requests/${a.payer_request_id}`}>
              Answer the request
            </ButtonLink>
          )}
          {edits && !solicited && (
            <Confirm
              title="Send to the payer?"
              action="Send and close"
              busy={close.isPending}
              onConfirm={() => close.go()}
              trigger={(ask) => (
                <Button
                  data-act="closeAttachment"
                  look="primary"
                  icon={<Send size={16} aria-hidden />}
                  busy={close.isPending}
                  disabled={why !== ""}
                  title={why || undefined}
                  onClick={ask}
                >
                  {close.isPending ? "Sending…" : "Send to the payer"}
                </Button>
              )}
            >
              <p>
                Molar sends {count(a.documents.length, "image")}{" "}
                {text.trim() ? "and the narrative" : "without a narrative"} to {a.payer.name}. You
                cannot change it afterwards.
              </p>
            </Confirm>
          )}
        </>
      }
    >
      <TasksOf tasks={tasks} />
      {edits &&
        !solicited &&
        (close.isPending ? (
          <Notice title="Sending. The network may take up to half a minute." />
        ) : (
          <Notice tone={why ? "warn" : "info"} title={why || "Ready to send."} />
        ))}
      <div className="columns">
        <div>
          <Documents attachment={a} uploads={edits ? uploads : undefined} />
          <Section
            title="Narrative"
            actions={
              edits &&
              changed && (
                <Button
                  busy={save.isPending}
                  disabled={[...text].length > maxNarrative}
                  onClick={() => save.go()}
                >
                  Save the narrative
                </Button>
              )
            }
          >
            {meanwhile && <Meanwhile changed={meanwhile} kept={() => typed.on.narrative} />}
            {edits && (
              <Narrative
                value={text}
                onChange={(v) => setTyped({ text: v, on: typed?.on ?? a })}
                placeholder="What the images show, and why the service was needed."
              />
            )}
            {!edits && a.narrative && <p className="words">{a.narrative}</p>}
            {!edits && !a.narrative && <p className="muted">No narrative.</p>}
          </Section>
        </div>
        <div>
          {claim.data && a.claim_id && (
            <Section title="Claim" actions={<Go to={`/claims/${a.claim_id}`}>Open the claim</Go>}>
              <ForClaim claim={claim.data} />
            </Section>
          )}
          {solicited && (
            <Section
              title="Payer request"
              actions={<Go to={`/payer-requests/${a.payer_request_id}`}>Open the request</Go>}
            >
              <Facts items={[["Payer's reference", a.payer_reference]]} />
            </Section>
          )}
          <InTheFile attachment={a} narrative={text} />
          <p className="small">
            <Copy value={a.id} label="Copy the ID" />
          </p>
          <Notes of="/attachments/{id}/notes" id={a.id} />
          <Traces id={a.id} />
        </div>
      </div>
      {leaving.dialog}
    </Page>
  );
}

/** InTheFile says what the claim file carries of the attachment, or will carry. */
function InTheFile({ attachment: a, narrative }: { attachment: Attachment; narrative: string }) {
  if (a.kind === "solicited")
    return (
      <Section title="In the claim file">
        <p className="muted">Nothing: a reply to a request goes to the payer separately.</p>
      </Section>
    );
  if (!a.claim_file) {
    return (
      <Section title="In the claim file">
        <p className="muted">
          The network gives the attachment a number when you send it. The claim file then has the
          number and the start of the narrative:
        </p>
        <p className="file-note">
          <span className="muted">number</span> {preview(narrative)}
        </p>
      </Section>
    );
  }
  return (
    <Section title="In the claim file">
      <Facts
        items={[
          ["Number (PWK)", a.claim_file.pwk],
          [
            "Note (NTE)",
            <code key="n" className="wrap-anywhere">
              {a.claim_file.nte}
            </code>,
          ],
        ]}
      />
      {a.claim_file.nte_partial && (
        <p className="muted small">
          A claim file holds 80 plain characters, so the note leaves out part of the narrative. The
          payer has the whole narrative with the images.
        </p>
      )}
    </Section>
  );
}

/** preview returns the words of a narrative that fit into the note of a claim file, after a number of usual length. */
function preview(narrative: string): string {
  const room = 80 - "MLR000000000 ".length;
  const words = narrative.split(/\s+/).filter(Boolean);
  let note = "";
  for (const word of words) {
    const next = note ? `${note} ${word}` : word;
    if ([...next].length > room) return note || [...word].slice(0, room).join("");
    note = next;
  }
  return note;
}
