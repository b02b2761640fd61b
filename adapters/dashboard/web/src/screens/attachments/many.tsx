// What is done with many attachments at once.
import type { Client, Schemas } from "../../api/client";
import { count, plural } from "../../ui/plural";
import { type Act, type Key, Sure, sent } from "../../ui/selection";

type Attachment = Schemas["Attachment"];

/** closeAttachment sends an attachment to the payer. */
export async function closeAttachment(api: Client["fetch"], key: Key, id: string): Promise<string> {
  const closed = await sent(
    api.POST("/attachments/{id}/close", { params: { path: { id }, header: key } }),
  );
  return `Sent to the payer as ${closed.attachment_number}.`;
}

/** unclosable says why an attachment is not sent with others, and what to do; null if it is. */
export function unclosable(a: Attachment): string | null {
  if (a.state === "closed") return "It is sent already.";
  if (a.kind === "solicited") return "It answers a payer request. Send it there.";
  return a.documents.length === 0 ? "It has no image. Add one first." : null;
}

/** Closing asks before images go to their payers. */
export function Closing({ n, go }: { n: number; go: (choice: string) => void }) {
  return (
    <Sure action={`Send ${count(n, "attachment")}`} go={go}>
      <p>
        {plural(
          n,
          "The images and the narrative go to the payer. You cannot change them afterwards.",
          "The images and narratives go to their payers. You cannot change them afterwards.",
        )}
      </p>
    </Sure>
  );
}

/** attachmentActs are what can be done with many attachments. */
export const attachmentActs: readonly Act<Attachment>[] = [
  {
    name: "Send to the payer",
    did: "sent",
    not: unclosable,
    title: (rows) => `Send ${count(rows.length, "attachment")}?`,
    ask: (rows, go) => <Closing n={rows.length} go={go} />,
    send: (api, key, a) => closeAttachment(api, key, a.id),
  },
];
