// A receiver of webhooks. With the secret of the endpoint, and while you replace it both secrets with a space between:
//
//     MOLAR_WEBHOOK_SECRET=whsec_... PORT=3000 node webhooks.js
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Event, SignatureError, unwrap } from "@molar-billing/molar";

const secrets = (process.env.MOLAR_WEBHOOK_SECRET ?? "").split(" ");
const seen = new Set<string>(); // in your program a table: an event can come twice, also after a restart

function receive(event: Event): void {
  if (seen.has(event.id)) return;
  seen.add(event.id);
  switch (event.type) {
    case "claim.paid":
      console.log(`${event.data.id} was paid, in all ${event.data.claim_payment?.paid} dollars`);
      break;
    case "eligibility.completed":
      console.log(`${event.data.id} is ${event.data.outcome}`);
      break;
    default:
      console.log(`${event.type} is left out`); // also types that this version does not know
  }
}

const server = createServer(async (request, response) => {
  try {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    receive(unwrap(Buffer.concat(parts), request.headers, ...secrets));
    response.writeHead(204).end();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    response.writeHead(error instanceof SignatureError ? 401 : 500).end(); // after a 500 the event comes again
  }
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
