import { createHmac, timingSafeEqual } from "node:crypto";
import { SignatureError } from "./errors.js";
import type { Event } from "./types.js";

const tolerance = 300;

/**
 * unwrap verifies a webhook, and returns its event. Give the body as it came, and while you change
 * the secret both secrets. A webhook can come twice: the header webhook-id is the same then.
 */
export function unwrap(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  ...secrets: string[]
): Event {
  const header = (name: string): string => {
    if (headers instanceof Headers) return headers.get(name) ?? "";
    const value =
      headers[name] ?? headers[Object.keys(headers).find((n) => n.toLowerCase() === name) ?? ""];
    return Array.isArray(value) ? value.join(" ") : (value ?? "");
  };
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError(
      "the body of the webhook was parsed: give it as it came, as a string or bytes",
    );
  }
  if (secrets.length === 0)
    throw new TypeError(
      "there is no webhook secret: give the one that the endpoint had when it was created",
    );
  const at = header("webhook-timestamp");
  if (!/^[0-9]+$/.test(at))
    throw new SignatureError("the webhook has no webhook-timestamp in seconds");
  if (Math.abs(Date.now() / 1000 - Number(at)) > tolerance) {
    throw new SignatureError(
      "the webhook's timestamp is more than 5 minutes from the clock of this machine",
    );
  }
  const bytes = Buffer.from(body as Uint8Array);
  let good = false;
  for (const secret of secrets) {
    const key = Buffer.from(String(secret ?? "").replace(/^whsec_/, ""), "base64");
    if (key.length === 0) throw new TypeError("a webhook secret is empty: it is whsec_ and base64");
    const mac = createHmac("sha256", key)
      .update(`${header("webhook-id")}.${at}.`)
      .update(bytes)
      .digest("base64");
    const want = Buffer.from(`v1,${mac}`);
    for (const signature of header("webhook-signature").split(" ")) {
      const got = Buffer.from(signature);
      if (got.length === want.length && timingSafeEqual(got, want)) good = true;
    }
  }
  if (!good) throw new SignatureError("the webhook is not signed with this secret");
  return JSON.parse(bytes.toString("utf8")) as Event;
}
