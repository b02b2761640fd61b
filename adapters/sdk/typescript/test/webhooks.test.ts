import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { type Event, SignatureError, unwrap } from "../src/index.js";

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const body = JSON.stringify({
  id: "evt_1",
  object: "event",
  type: "claim.paid",
  data: { id: "clm_1" },
});

function signed(
  text: string,
  at = Math.floor(Date.now() / 1000),
  by = secret,
): Record<string, string> {
  const mac = createHmac("sha256", Buffer.from(by.slice(6), "base64"))
    .update(`evt_1.${at}.${text}`)
    .digest("base64");
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at),
    "webhook-signature": `v1,AAAA v2,${mac} v1,${mac}`,
  };
}

test("an error says why a webhook is refused", () => {
  const now = Math.floor(Date.now() / 1000);
  assert.throws(() => unwrap(body, {}, secret), {
    name: "SignatureError",
    message: /webhook-timestamp/,
  });
  assert.throws(() => unwrap(body, signed(body, now - 400), secret), {
    name: "SignatureError",
    message: /5 minutes/,
  });
  assert.throws(() => unwrap(`${body} `, signed(body), secret), {
    name: "SignatureError",
    message: /signed with/,
  });
  assert.throws(
    () => unwrap(body, { ...signed(body), "webhook-id": "evt_2" }, secret),
    SignatureError,
  );
  assert.throws(
    () => unwrap(body, { ...signed(body), "webhook-signature": "" }, secret),
    SignatureError,
  );
});

test("what the program did wrong is said in other words", () => {
  assert.throws(() => unwrap(body, signed(body)), /secret/);
  assert.throws(() => unwrap(body, signed(body), undefined as unknown as string), /secret/);
  assert.throws(() => unwrap(body, signed(body), ""), /secret/);
  assert.throws(() => unwrap(JSON.parse(body) as string, signed(body), secret), /as it came/);
});

test("an event has the data of its type, and one of an unknown type has any", () => {
  const paid = (event: Event): string | undefined => {
    switch (event.type) {
      case "claim.paid":
        return event.data.id; // typed: it compiles without a cast
      case "eligibility.completed":
        return undefined;
      default:
        return typeof event.data;
    }
  };
  assert.equal(paid(unwrap(body, signed(body), secret)), "clm_1");
  const unknown = body.replace("claim.paid", "claim.teleported");
  assert.equal(paid(unwrap(Buffer.from(unknown), new Headers(signed(unknown)), secret)), "object");
});
