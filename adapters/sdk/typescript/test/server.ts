import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Molar, type Options } from "../src/index.js";

/** A request as a server received it. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** serve starts a server that ends with the test, and returns a client of it with what it received. */
export async function serve(
  t: TestContext,
  reply: (r: Received, to: ServerResponse, nth: number) => void,
  options: Options = {},
): Promise<{ client: Molar; received: Received[]; origin: string }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return; // the client went away
    }
    const { method = "", url = "", headers } = request;
    received.push({ method, path: url, headers, body: Buffer.concat(parts).toString("latin1") });
    reply(received.at(-1) as Received, response, received.length);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    client: new Molar({ apiKey: "molar_test_secret", baseUrl: origin, ...options }),
    received,
    origin,
  };
}

/** json replies as Molar does. */
export function json(
  to: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  to.writeHead(status, { "content-type": "application/json", ...headers }).end(
    JSON.stringify(body),
  );
}
