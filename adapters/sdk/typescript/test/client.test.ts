import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  Molar,
  MolarConnectionError,
  MolarError,
  PayerError,
  type Reply,
  ServiceError,
  WaitError,
} from "../src/index.js";
import { json, serve } from "./server.js";

const again = { "x-should-retry": "true" };

test("the origin of a service is accepted in any form, and nothing else", () => {
  const apiKey = "molar_test_secret";
  for (const baseUrl of [
    "https://molar.example",
    "https://molar.example/",
    "https://Molar.Example:443",
    "http://127.0.0.1:80",
  ]) {
    new Molar({ apiKey, baseUrl });
  }
  for (const baseUrl of [
    "molar.example",
    "https://molar.example/api/v1",
    "https://molar.example?a=b",
    "ftp://molar.example",
    "https://u:p@molar.example",
  ]) {
    assert.throws(() => new Molar({ apiKey, baseUrl }), /is not the origin of a service/, baseUrl);
  }
});

test("a browser is refused", () => {
  const all = globalThis as Record<string, unknown>;
  Object.assign(all, { window: {}, document: {} });
  try {
    assert.throws(() => new Molar({ apiKey: "molar_test_secret" }), /does not run in a browser/);
  } finally {
    delete all.window;
    delete all.document;
  }
});

test("a write has one key over its retries", async (t) => {
  const { client, received } = await serve(t, (_, to, nth) => {
    if (nth < 3) json(to, 503, { error: "UNAVAILABLE", message: "Wait." }, again);
    else json(to, 201, { id: "off_1" });
  });
  await client.request("POST", "/offices", { name: "A" });
  const keys = received.map((r) => r.headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.match(
    received[0]?.headers["user-agent"] ?? "",
    /^molar-typescript\/\d+\.\d+\.\d+ \(node v\d+/,
  );
});

test("what says that a retry does not help is sent once", async (t) => {
  const { client, received } = await serve(t, (_, to) =>
    json(to, 503, { error: "UNAVAILABLE" }, { "x-should-retry": "false" }),
  );
  await assert.rejects(client.me.get(), ServiceError);
  assert.equal(received.length, 1);
});

test("a wait that the service asks for beyond a minute is left to the caller", async (t) => {
  const { client, received } = await serve(t, (_, to) =>
    json(to, 429, { error: "TOO_MANY_REQUESTS" }, { ...again, "retry-after": "61" }),
  );
  await assert.rejects(client.me.get(), { name: "RateLimitError", retryable: true });
  assert.equal(received.length, 1);
});

test("an aborted call ends, also between two attempts", { timeout: 40_000 }, async (t) => {
  const abort = new AbortController();
  const { client } = await serve(t, (_, to) => {
    json(to, 429, { error: "TOO_MANY_REQUESTS" }, { ...again, "retry-after": "50" });
  });
  const call = client.me.get({
    signal: abort.signal,
    onReply: () => setImmediate(() => abort.abort()),
  });
  await assert.rejects(call, MolarConnectionError);
});

test("a reply that is not of Molar is an error that says so", async (t) => {
  const { client } = await serve(t, (_, to) =>
    to.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>"),
  );
  await assert.rejects(client.me.get(), (error: unknown) => {
    assert.ok(error instanceof MolarError, String(error));
    assert.match(error.message, /not one of Molar/);
    return true;
  });
});

test("what is logged of a client or an error shows no key and no patient", async (t) => {
  const check = { object: "eligibility_check", request: { subscriber: { last_name: "Ngozi" } } };
  const { client } = await serve(t, (_, to) =>
    json(to, 502, { error: "PAYER_UNAVAILABLE", message: "No response.", check }),
  );
  const subscriber = {
    first_name: "A",
    last_name: "Ngozi",
    date_of_birth: "1980-01-01",
    member_id: "1",
  };
  const error = await client.eligibility
    .create({ office_id: "off_1", payer_id: "CHTEST", subscriber })
    .then(
      () => assert.fail("no error"),
      (e: unknown) => e,
    );
  assert.ok(error instanceof PayerError);
  assert.equal(error.check?.request.subscriber.last_name, "Ngozi");
  const logged = inspect([client, error], { depth: 12 }) + JSON.stringify([client, error]);
  assert.doesNotMatch(logged, /Ngozi|molar_test_secret/);
  assert.match(logged, /PAYER_UNAVAILABLE/);
});

test("a path without a service leaves no file open", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "molar-"));
  t.after(() => rm(dir, { recursive: true }));
  const path = join(dir, "film.jpg");
  writeFileSync(path, "film");
  const refuses = (async () => {
    throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
  }) as typeof fetch;
  const client = new Molar({
    apiKey: "molar_test_secret",
    baseUrl: "http://127.0.0.1:1",
    maxRetries: 0,
    fetch: refuses,
  });
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let n = 0; n < 20; n++) {
    await assert.rejects(
      client.attachments.uploadDocument("att_1", { path }, { document_type: "12" }),
      { maybeReceived: false },
    );
  }
  assert.ok(open() < before + 10, `${open()} files are open, ${before} were`);
});

test("a file that cannot be read is its own error, and is not sent again", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "molar-"));
  t.after(() => rm(dir, { recursive: true }));
  const { client } = await serve(t, (_, to) => json(to, 201, {}));
  await assert.rejects(
    client.attachments.uploadDocument("att_1", { path: dir }, { document_type: "12" }),
    { code: "EISDIR" },
  );
});

test("the path of a file may be a text", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "molar-"));
  t.after(() => rm(dir, { recursive: true }));
  writeFileSync(join(dir, "film.jpg"), "a film");
  const { client, received } = await serve(t, (_, to) => json(to, 201, { id: "att_1" }));
  await client.attachments.uploadDocument("att_1", join(dir, "film.jpg"), { document_type: "12" });
  assert.match(received[0]?.body ?? "", /filename="film.jpg"[\s\S]*a film/);
});

test("an upload has its length, its fields and its file, and tells how far it is", async (t) => {
  const { client, received } = await serve(t, (_, to) => json(to, 201, { id: "att_1" }));
  const told: unknown[] = [];
  const file = {
    bytes: Buffer.from("a film"),
    name: 'a "film".jpg',
    onProgress: (...at: unknown[]) => told.push(at),
  };
  await client.attachments.uploadDocument("att_1", file, { document_type: "12" });
  const sent = received[0];
  assert.equal(sent?.headers["content-length"], String(sent?.body.length));
  assert.match(
    sent?.body ?? "",
    /name="document_type"\r\n\r\n12\r\n[\s\S]*filename="a _film_.jpg"[\s\S]*\r\n\r\na film\r\n--/,
  );
  assert.deepEqual(told, [[6, 6]]);
});

test("a claim is waited for with a predicate, until the time is over, and a call can end it", async (t) => {
  const { client } = await serve(t, (r, to) => {
    if (r.path.includes("/events")) json(to, 200, { data: [], next_cursor: null });
    else json(to, 200, { id: "clm_1", state: "submitted", version: 3 });
  });
  assert.equal(
    (await client.claims.wait("clm_1", (claim) => claim.version === 3)).state,
    "submitted",
  );
  await assert.rejects(client.claims.wait("clm_1", ["paid"], 50), WaitError);
  const signal = AbortSignal.timeout(50);
  await assert.rejects(
    client.claims.wait("clm_1", "paid", 60_000, { signal }),
    MolarConnectionError,
  );
});

test("tail goes on after a lost connection, and after the event that it gave last", async (t) => {
  const { client, received } = await serve(
    t,
    (_, to, nth) => {
      if (nth === 1) json(to, 200, { data: [{ id: "evt_1" }], next_cursor: null });
      else if (nth === 2) to.destroy();
      else json(to, 200, { data: [{ id: "evt_2" }], next_cursor: null });
    },
    { maxRetries: 0 },
  );
  const got: string[] = [];
  for await (const event of client.events.tail("evt_0", { resource_id: "clm_1" })) {
    got.push(event.id);
    if (got.length === 2) break;
  }
  assert.deepEqual(got, ["evt_1", "evt_2"]);
  const after = received.map((r) => new URL(r.path, "http://x").searchParams.get("after"));
  assert.deepEqual(after, ["evt_0", "evt_1", "evt_1"]);
});

test("a raw request takes a method in any case, and gives the headers of its reply", async (t) => {
  const { client, received } = await serve(t, (_, to) =>
    json(to, 200, {}, { "x-request-id": "req_1" }),
  );
  let reply: Reply | undefined;
  await client.request("get", "/me", undefined, { limit: 2 }, { onReply: (r) => (reply = r) });
  await client.request("patch", "/claims/clm_1", { note: null });
  assert.equal(reply?.requestId, "req_1");
  assert.deepEqual(
    [received[0]?.path, received[0]?.headers["idempotency-key"]],
    ["/api/v1/me?limit=2", undefined],
  );
  assert.deepEqual([received[1]?.method, received[1]?.body], ["PATCH", '{"note":null}']);
});

test("the README and the package name the same version of Node", () => {
  const root = new URL("../../", import.meta.url);
  const about = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    engines: { node: string };
  };
  assert.ok(
    readFileSync(new URL("README.md", root), "utf8").includes(
      `Node ${about.engines.node.slice(2)} or later`,
    ),
  );
});

test("retry sends what was asked, without what a later service also shows, and names the check", async (t) => {
  const person = { first_name: "Jane", last_name: "Doe", date_of_birth: "1985-04-12", x_new: 1 };
  const request = {
    subscriber: { ...person, member_id: "1", group_number: null },
    patient: { ...person, relationship: "child" },
    service_date: "2026-01-02",
    procedure_codes: ["D0120"],
    detail_level: "enhanced",
    office_npi: "1234567893",
    x_new: "new",
  };
  const check = {
    id: "elg_1",
    office_id: "off_1",
    payer: { id: "pyr_1" },
    tenant_reference: "a",
    request,
  };
  const { client, received } = await serve(t, (_, to) => json(to, 200, check));
  const rejected = await client.eligibility.get("elg_1");
  await client.eligibility.retry(rejected, { subscriber: { last_name: "Roe" }, patient: null });
  await client.eligibility.retry(rejected, {});
  const sent = received.slice(1).map((r) => JSON.parse(r.body));
  const whole = {
    office_id: "off_1",
    payer_id: "pyr_1",
    parent_id: "elg_1",
    tenant_reference: "a",
    service_date: "2026-01-02",
    procedure_codes: ["D0120"],
    detail_level: "enhanced",
  };
  const jane = { first_name: "Jane", last_name: "Doe", date_of_birth: "1985-04-12" };
  const subscriber = { ...jane, member_id: "1", group_number: null, gender: null };
  assert.deepEqual(sent, [
    { ...whole, subscriber: { ...subscriber, last_name: "Roe" }, patient: null },
    { ...whole, subscriber, patient: { ...jane, relationship: "child", gender: null } },
  ]);
  assert.equal(new Set(received.slice(1).map((r) => r.headers["idempotency-key"])).size, 2);
});

test("a download that breaks is a lost connection", async (t) => {
  const { client } = await serve(t, (_, to) => {
    to.writeHead(200, {
      "content-type": "image/jpeg",
      "content-length": "9",
      "content-disposition": 'attachment; filename="a film.jpg"',
    });
    to.write("film", () => to.destroy());
  });
  const film = await client.attachments.downloadDocument("att_1", "doc_1");
  assert.deepEqual([film.name, film.contentType], ["a film.jpg", "image/jpeg"]);
  await assert.rejects(film.bytes(), { name: "MolarConnectionError", maybeReceived: true });
});
