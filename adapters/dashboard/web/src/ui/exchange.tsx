// The messages that went to a payer and came back, as they were.
import { printable } from "./format";
import { Scrolled } from "./scrolled";

const lines = (x12: string) => x12.replaceAll("~", "~\n").replaceAll("\n\n", "\n");

/** Exchanged shows each request beside its response. The names are those of the transactions, such as 270 and 271. */
export function Exchanged({
  messages,
  request,
  response,
}: {
  messages: { request: string; response: string | null }[];
  request: string;
  response: string;
}) {
  return messages.map((m, i) => (
    <div key={i} className="exchange">
      <div>
        <h3>{request}</h3>
        <Scrolled label={`${request}, message ${i + 1}`}>{lines(m.request)}</Scrolled>
      </div>
      <div>
        <h3>{response}</h3>
        <Scrolled label={`${response}, message ${i + 1}`}>
          {m.response
            ? lines(m.response).split("\n").map(printable).join("\n")
            : "Nothing came back."}
        </Scrolled>
      </div>
    </div>
  ));
}
