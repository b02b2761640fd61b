import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import { MolarConnectionError, MolarError, refused } from "./errors.js";
import { type Download, downloaded, type Form, form, type Upload } from "./files.js";
import { version } from "./types.js";

/** The settings of a client. What is missing comes from the environment. */
export interface Options {
  /** A key of Molar. Without one, MOLAR_API_KEY is. */
  apiKey?: string;
  /** The origin of the service. Without one it is MOLAR_BASE_URL, or else http://127.0.0.1:8080. */
  baseUrl?: string;
  /** How long an attempt may take, in milliseconds: 45,000. Uploads and downloads have 10 minutes. */
  timeout?: number;
  /** How often a request is sent again: twice. */
  maxRetries?: number;
  /** Sends the requests in place of the fetch of Node. */
  fetch?: typeof fetch;
}

/** What one call may change. */
export interface CallOptions {
  /** The idempotency key of a write, in place of a random one. Derive it from your own record. */
  idempotencyKey?: string;
  /** Refuses the write with CHANGED_MEANWHILE if the resource has another version. */
  ifVersion?: number;
  /** Makes a check ask the payer, even if a saved answer is not a day old. */
  fresh?: boolean;
  headers?: Record<string, string>;
  /** Ends the call. */
  signal?: AbortSignal;
  /** Is told what came beside the value of the last reply. */
  onReply?: (reply: Reply) => void;
}

/** What came beside the value of a reply. */
export interface Reply {
  status: number;
  headers: Headers;
  requestId: string;
  /** The reply is that of an earlier request with the same key. */
  replayed: boolean;
}

/** What an operation sends. The declarations of the operations need it. */
export interface Call {
  method: string;
  path: string;
  query?: object;
  body?: unknown;
  file?: Upload;
  form?: object;
  keyed?: boolean;
  answers?: boolean;
}

const wholeTimeout = 120_000;
const fileTimeout = 600_000;
const firstPause = 500;
const longestPause = 60_000;

/** Core sends requests. */
export class Core {
  readonly origin: string;
  readonly #key: string; // console.log of a client does not show it
  private readonly timeout: number;
  private readonly maxRetries: number;
  private readonly fetch: typeof fetch;

  constructor(options: Options) {
    if ("window" in globalThis && "document" in globalThis) {
      throw new Error(
        "Molar's client does not run in a browser: whoever opens the page could read patients with its key. " +
          "Call your own server.",
      );
    }
    const key = options.apiKey ?? process.env.MOLAR_API_KEY;
    if (!key) throw new Error("there is no API key: set MOLAR_API_KEY or apiKey");
    this.origin = originOf(
      options.baseUrl || process.env.MOLAR_BASE_URL || "http://127.0.0.1:8080",
    );
    this.#key = key;
    this.timeout = options.timeout ?? 45_000;
    this.maxRetries = options.maxRetries ?? 2;
    this.fetch = options.fetch ?? fetch;
  }

  /** json sends a request, and returns the value of its reply. */
  async json<T>(call: Call, options?: CallOptions): Promise<T> {
    try {
      const response = await this.send(call, options);
      const text = await response.text();
      return (text === "" ? undefined : parsed(response, text, this.origin)) as T;
    } catch (error) {
      if (
        call.answers &&
        error instanceof MolarError &&
        error.code === "PAYER_REJECTED" &&
        error.body.check
      ) {
        return error.body.check as T;
      }
      throw error;
    }
  }

  async download(call: Call, options?: CallOptions): Promise<Download> {
    return downloaded(await this.send(call, options, true), this.origin);
  }

  private async send(call: Call, options: CallOptions = {}, streams = false): Promise<Response> {
    const key = options.idempotencyKey ?? (call.keyed ? randomUUID() : undefined);
    const attempt = call.file || streams ? Math.max(this.timeout, fileTimeout) : this.timeout;
    const deadline = Date.now() + Math.max(attempt, wholeTimeout);
    for (let retries = 0; ; ) {
      try {
        return await this.attempt(
          call,
          options,
          key,
          Math.min(attempt, deadline - Date.now()),
          streams,
        );
      } catch (error) {
        const wait = this.again(call, key, error, retries);
        if (wait === undefined || Date.now() + wait > deadline || options.signal?.aborted)
          throw error;
        const waits = error instanceof MolarError && error.code === "IDEMPOTENCY_KEY_IN_USE";
        if (!waits) retries++; // a wait for the key's own first request is no retry
        await pause(wait, options.signal);
      }
    }
  }

  /** again returns after what time a request is sent again, or undefined. */
  private again(
    call: Call,
    key: string | undefined,
    error: unknown,
    retries: number,
  ): number | undefined {
    if (typeof call.file === "object" && "stream" in call.file) return undefined; // it cannot be read again
    let pause = firstPause * 2 ** retries * (1 - Math.random() / 4);
    if (error instanceof MolarError) {
      const asked = Number(error.headers.get("retry-after") ?? Number.NaN) * 1000;
      if (asked > pause) pause = asked;
      const counts = error.code === "IDEMPOTENCY_KEY_IN_USE" || retries < this.maxRetries;
      return error.retryable && counts && pause <= longestPause ? pause : undefined;
    }
    const safe = key !== undefined || call.method === "GET" || !call.keyed;
    return error instanceof MolarConnectionError &&
      !error.ended &&
      safe &&
      retries < this.maxRetries
      ? pause
      : undefined;
  }

  private async attempt(
    call: Call,
    options: CallOptions,
    key: string | undefined,
    timeout: number,
    streams: boolean,
  ): Promise<Response> {
    const headers = new Headers({
      authorization: `Bearer ${this.#key}`,
      "user-agent": `molar-typescript/${version} (node ${process.version})`,
    });
    if (key !== undefined) headers.set("idempotency-key", key);
    if (options.ifVersion !== undefined) headers.set("if-match", `"${options.ifVersion}"`);
    if (options.fresh) headers.set("cache-control", "no-cache");
    let sent: Form | undefined;
    const request: RequestInit & { duplex?: "half" } = { method: call.method, redirect: "manual" };
    if (call.file) {
      sent = await form(call.file, call.form ?? {});
      headers.set("content-type", sent.type);
      if (sent.length !== undefined) headers.set("content-length", String(sent.length));
      request.body = sent.body;
      request.duplex = "half";
    } else if (call.body !== undefined) {
      headers.set("content-type", "application/json");
      request.body = JSON.stringify(call.body);
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    const end = AbortSignal.timeout(Math.max(timeout, 1));
    request.headers = headers;
    request.signal = options.signal ? AbortSignal.any([options.signal, end]) : end;
    let response: Response;
    let text = "";
    try {
      response = await this.fetch(`${this.origin}/api/v1${call.path}${query(call.query)}`, request);
      if (!streams || response.status >= 300) text = await response.text();
    } catch (error) {
      sent?.body.cancel().catch(() => {}); // a fetch that has it cancels it itself
      if (sent?.unreadable) throw sent.unreadable.error;
      throw new MolarConnectionError(
        this.origin,
        error,
        !unsent(error),
        options.signal?.aborted ?? false,
      );
    }
    options.onReply?.({
      status: response.status,
      headers: response.headers,
      requestId: response.headers.get("x-request-id") ?? "",
      replayed: response.headers.get("idempotent-replayed") === "true",
    });
    if (response.status >= 300) throw refused(response.status, response.headers, text, this.origin);
    return streams
      ? response
      : new Response(text === "" ? null : text, {
          status: response.status,
          headers: response.headers,
        });
  }
}

/** originOf returns the origin of a service, as a browser writes it. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Error(
      "the base URL is not the origin of a service: give one such as https://molar.example, without a path",
    );
  }
  return url.origin;
}

function parsed(response: Response, text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(response.status, response.headers, text, origin);
  }
}

/** @internal pause waits. It ends early with its signal; the request that follows then fails at once. */
export async function pause(time: number, signal?: AbortSignal): Promise<void> {
  await after(time, undefined, { ...(signal && { signal }) }).catch(() => {});
}

/** unsent tells whether a connection was never made. */
function unsent(error: unknown): boolean {
  const code = (error as { cause?: { code?: string } }).cause?.code ?? "";
  return [
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
  ].includes(code);
}

function query(params: object | undefined): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) q.append(name, String(one));
    }
  }
  const text = q.toString();
  return text === "" ? "" : `?${text}`;
}
