import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { MolarConnectionError } from "./errors.js";

interface Told {
  /** Is told how much was sent; total is undefined if it is not known. */
  onProgress?: (sent: number, total: number | undefined) => void;
}

/**
 * A file to send: the path of one of this machine, bytes, or a stream. A stream is sent once: if the
 * connection breaks, the error says whether the service may have it.
 */
export type Upload =
  | string
  | (Told &
      (
        | { path: string }
        | { bytes: Uint8Array; name: string }
        | { stream: AsyncIterable<Uint8Array>; name: string }
      ));

/** A file of a reply. */
export interface Download {
  stream: ReadableStream<Uint8Array>;
  contentType: string;
  /** Undefined if the service names none. */
  name: string | undefined;
  /** Reads the whole file. */
  bytes(): Promise<Uint8Array>;
}

/** @internal */
export interface Form {
  body: ReadableStream;
  type: string;
  length: number | undefined;
  /** Why the file could not be read, which is no fault of the connection. */
  unreadable?: { error: unknown };
}

/** @internal */
export async function form(upload: Upload, fields: object): Promise<Form> {
  const file = typeof upload === "string" ? { path: upload } : upload;
  const boundary = randomUUID();
  let head = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    head += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`;
  }
  const called = ("path" in file ? basename(file.path) : file.name).replace(/["\r\n]/g, "_");
  head += `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${called}"\r\n`;
  head += "Content-Type: application/octet-stream\r\n\r\n";
  const first = new TextEncoder().encode(head);
  const last = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
  let total: number | undefined;
  if ("path" in file) total = (await stat(file.path)).size;
  if ("bytes" in file) total = file.bytes.length;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first;
    let sent = 0;
    try {
      for await (const part of contentOf(file)) {
        yield part;
        sent += part.length;
        file.onProgress?.(sent, total);
      }
    } catch (error) {
      made.unreadable = { error };
      throw error;
    }
    yield last;
  }
  const made: Form = {
    body: Readable.toWeb(Readable.from(all(), { objectMode: false })) as ReadableStream,
    type: `multipart/form-data; boundary=${boundary}`,
    length: total === undefined ? undefined : first.length + total + last.length,
  };
  return made;
}

function contentOf(
  file: Exclude<Upload, string>,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if ("path" in file) return createReadStream(file.path);
  return "bytes" in file ? [file.bytes] : file.stream;
}

/** @internal */
export function downloaded(response: Response, origin: string): Download {
  const name = /filename="?([^";]+)/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return {
    stream: response.body as unknown as ReadableStream<Uint8Array>,
    contentType: response.headers.get("content-type") ?? "",
    name,
    bytes: async () => {
      try {
        return new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        throw new MolarConnectionError(origin, error, true, false);
      }
    },
  };
}
