// Sending a claim. Its images go first: a claim file names only images that the payer has.
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { count, plural } from "../../ui/plural";

type Claim = Schemas["Claim"];
type Attachment = Schemas["Attachment"];

/** unsent returns the attachments with images that the claim file would leave out. */
const unsent = (c: Claim): Attachment[] =>
  c.attachments.filter(
    (a) => a.kind === "unsolicited" && a.state === "open" && a.documents.length > 0,
  );

/** Submit sends a claim, and asks about images that are not sent. */
export function Submit({ claim: { id } }: { claim: Claim }) {
  const [waiting, setWaiting] = useState<Attachment[]>([]);
  const [asking, setAsking] = useState(false);
  const images = waiting.reduce((n, a) => n + a.documents.length, 0);
  const submit = useSend(
    async (api, key, before: Attachment[]) => {
      for (const a of before) {
        const header = { "Idempotency-Key": `${key["Idempotency-Key"]}-${a.id}` };
        const closed = await api.POST("/attachments/{id}/close", {
          params: { path: { id: a.id }, header },
        });
        if (closed.error) return { error: closed.error };
      }
      return api.POST("/claims/{id}/submit", { params: { path: { id }, header: key } });
    },
    { says: "The claim is queued for the next file." },
  );
  // The page may show the claim as it was before its images were sent.
  const look = useSend((api) => api.GET("/claims/{id}", { params: { path: { id } } }), {
    done: (now) => {
      setWaiting(unsent(now));
      if (unsent(now).length > 0) setAsking(true);
      else submit.go([]);
    },
  });
  const send = (before: Attachment[]) => {
    setAsking(false);
    submit.go(before);
  };
  return (
    <>
      <Button look="primary" busy={look.isPending || submit.isPending} onClick={() => look.go()}>
        Send to the payer
      </Button>
      <Modal
        title={`${count(images, "image is", "images are")} not sent. Send both?`}
        open={asking}
        onOpenChange={setAsking}
      >
        <div className="stack">
          <p>
            Molar sends the {plural(images, "image")} to the payer first, and then the claim with{" "}
            {plural(images, "its", "their")} number. You cannot change the {plural(images, "image")}{" "}
            afterwards.
          </p>
          <div className="dialog-actions">
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button onClick={() => send([])}>Send only the claim</Button>
            <Button look="primary" onClick={() => send(waiting)}>
              Send both
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
