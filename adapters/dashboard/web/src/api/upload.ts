// Uploads of images: each has progress, and repeats itself with the same key
// until the service replies.
import {
  type APIError,
  type Client,
  headers,
  isAPIError,
  root,
  type Schemas,
  signedOut,
  Unreachable,
} from "./client";

type Reply = { status: number; after: number; body: unknown };

/** uploadDocument uploads an image into an attachment. progress gets the share that is sent, or null
 *  while there is no connection. It throws the APIError of a refusal, and an AbortError after a stop. */
export async function uploadDocument(
  client: Client,
  attachment: string,
  key: string,
  form: FormData,
  progress: (share: number | null) => void,
  stop: AbortSignal,
): Promise<Schemas["Attachment"]> {
  for (let failures = 0; ; failures++) {
    stop.throwIfAborted();
    let pause = Math.min(500 * 2 ** failures, 5_000);
    try {
      const reply = await post(
        client,
        `/attachments/${attachment}/documents`,
        key,
        form,
        progress,
        stop,
      );
      if (reply.status < 300) return reply.body as Schemas["Attachment"];
      if (reply.status === 401) signedOut();
      if (!isAPIError(reply.body)) throw new Error(`Molar replied ${reply.status}. Try again.`);
      if (!later(reply.body) || failures >= 20) throw reply.body;
      pause = Math.max(pause, reply.after * 1000);
    } catch (e) {
      if (!(e instanceof Unreachable)) throw e;
      progress(null);
    }
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** later reports whether the same request with the same key may succeed later. */
function later(e: APIError): boolean {
  return [
    "TOO_MANY_REQUESTS",
    "UNAVAILABLE",
    "IDEMPOTENCY_KEY_IN_USE",
    "TIMEOUT",
    "REQUEST_TIMEOUT",
  ].includes(e.error);
}

/** post sends a form. Only XMLHttpRequest says how much of a body is sent. */
function post(
  client: Client,
  path: string,
  key: string,
  form: FormData,
  progress: (share: number) => void,
  stop: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", root + path);
    for (const [name, value] of Object.entries({ ...headers(client.mode), "Idempotency-Key": key }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => {
      if (e.lengthComputable) progress(e.loaded / e.total);
    };
    request.onload = () => {
      let body: unknown = null;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        /* not of the API */
      }
      resolve({
        status: request.status,
        after: Number(request.getResponseHeader("Retry-After") ?? 0),
        body,
      });
    };
    request.onerror = () => reject(new Unreachable("Molar does not reply."));
    request.onabort = () => reject(stop.reason as Error);
    stop.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}
