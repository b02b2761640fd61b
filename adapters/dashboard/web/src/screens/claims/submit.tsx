// Sending a claim. Its images go first: a claim file names only images that the payer has.
import { type ReactNode, useRef, useState } from "react";
import type { Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Cancel, Modal } from "../../ui/dialog";
import { useOpening } from "../../ui/opening";
import { count, plural } from "../../ui/plural";
import { AskAdvice, type Ignored } from "./advice";
import { unanswered, unsent } from "./lacking";

type Claim = Schemas["Claim"];
type Attachment = Schemas["Attachment"];

/** sendImages sends images before their claim, and returns what the service refused. */
export async function sendImages(
  api: ReturnType<typeof useClient>["fetch"],
  key: { "Idempotency-Key": string },
  of: readonly Attachment[],
): Promise<Schemas["Error"] | undefined> {
  for (const a of of) {
    const header = { "Idempotency-Key": `${key["Idempotency-Key"]}-${a.id}` };
    const { error } = await api.POST("/attachments/{id}/close", {
      params: { path: { id: a.id }, header },
    });
    if (error) return error;
  }
  return undefined;
}

/** useUnsent returns ask, which calls send with the images that go before the claim. It asks a person
 *  about those that are not sent. The page may show the claim as it was before. */
export function useUnsent(
  id: string,
  send: (before: Attachment[]) => void,
): { ask: () => void; isPending: boolean; failureCount: number; dialog: ReactNode } {
  const [waiting, setWaiting] = useState<Attachment[]>([]);
  const [asking, setAsking] = useState(false);
  const images = waiting.reduce((n, a) => n + a.documents.length, 0);
  const look = useSend((api) => api.GET("/claims/{id}", { params: { path: { id } } }), {
    done: (now) => {
      setWaiting(unsent(now));
      if (unsent(now).length > 0) setAsking(true);
      else send([]);
    },
  });
  const answer = (before: Attachment[]) => {
    setAsking(false);
    send(before);
  };
  return {
    ask: () => look.go(),
    isPending: look.isPending,
    failureCount: look.failureCount,
    dialog: (
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
            <Cancel />
            <Button onClick={() => answer([])}>Send only the claim</Button>
            <Button look="primary" onClick={() => answer(waiting)}>
              Send both
            </Button>
          </div>
        </div>
      </Modal>
    ),
  };
}

/** Submit sends a claim. It asks first about what the payer wants to see, also for the form of the claim, which leads
 *  here after it has saved. */
export function Submit({ claim }: { claim: Claim }) {
  const { id } = claim;
  const [asking, setAsking] = useOpening(`/claims/${id}`);
  const ignored = useRef<Ignored>({});
  const submit = useSend(
    async (api, key, before: Attachment[]) => {
      const error = await sendImages(api, key, before);
      return error
        ? { error }
        : api.POST("/claims/{id}/submit", {
            params: { path: { id }, header: key },
            body: { advice_ignored: ignored.current },
          });
    },
    { says: "The claim is queued for the next file." },
  );
  const images = useUnsent(id, submit.go);
  const look = useSend((api) => api.GET("/claims/{id}", { params: { path: { id } } }), {
    done: (now) => {
      if (unanswered(now).length > 0) setAsking(true);
      else images.ask();
    },
  });
  const advice = unanswered(look.data ?? claim);
  return (
    <>
      <Button
        data-act="submitClaim"
        look="primary"
        busy={look.isPending || images.isPending || submit.isPending}
        onClick={() => look.go()}
      >
        Send to the payer
      </Button>
      <AskAdvice
        claim={claim}
        advice={advice}
        open={asking && advice.length > 0}
        onOpenChange={setAsking}
        busy={images.isPending}
        send={(reasons) => {
          ignored.current = reasons;
          setAsking(false);
          images.ask();
        }}
      />
      {images.dialog}
    </>
  );
}
