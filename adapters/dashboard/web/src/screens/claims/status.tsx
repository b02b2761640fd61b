// Where the claim is, as its payer says when it is asked: the last answer in words, earlier ones, and the messages.
import { type ReactNode, useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Exchanged } from "../../ui/exchange";
import { Day, Money, When } from "../../ui/format";
import { Facts, Read, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { paged } from "../../ui/table";
import { unaskable } from "./askable";

type Claim = Schemas["Claim"];
type Inquiry = Schemas["StatusInquiry"];
type Status = Inquiry["statuses"][number];

const path = "/claims/{id}/status_inquiries";

/** ClaimStatus shows what the payer answered, and asks it. Where it cannot be asked, it says why. */
export function ClaimStatus({ claim: c }: { claim: Claim }) {
  const { api } = useClient();
  const may = useMay();
  const list = api.useInfiniteQuery(
    "get",
    path,
    { params: { path: { id: c.id }, query: { limit: 20 } } },
    {
      ...paged,
      refetchInterval: (q) => (q.state.data?.pages[0]?.data[0]?.state === "pending" ? 2000 : false),
    },
  );
  const payer = api.useQuery("get", "/payers/{id}", { params: { path: { id: c.payer.id } } });
  const ask = useSend(
    (api, key) => api.POST(path, { params: { path: { id: c.id }, header: key }, body: {} }),
    {
      says: "The payer was asked.",
      refused: (e) => e.error === "TIMEOUT",
      failed: (e) => {
        if (isAPIError(e) && e.error === "TIMEOUT") void list.refetch();
      },
    },
  );
  const [last, ...earlier] = list.data?.pages.flatMap((p) => p.data) ?? [];
  const why =
    unaskable(c) ??
    (payer.data?.capabilities.claim_status === false
      ? "This payer does not answer inquiries about claims. Call the payer, or look at its portal."
      : null);
  return (
    <Section
      title="Claim status"
      id="claim-status"
      actions={
        may.write &&
        !why && (
          <Button
            data-act="createStatusInquiry"
            busy={ask.isPending || last?.state === "pending"}
            onClick={() => ask.go()}
          >
            Ask the payer
          </Button>
        )
      }
    >
      {why && <p className="muted">{why}</p>}
      <Read of={list} rows={2}>
        {() =>
          last ? (
            <Answer inquiry={last} />
          ) : (
            !why && <p className="muted">The payer was not asked about this claim.</p>
          )
        }
      </Read>
      {earlier.length > 0 && (
        <details>
          <summary>
            {list.hasNextPage
              ? `${earlier.length}+ earlier answers`
              : count(earlier.length, "earlier answer")}
          </summary>
          <ol className="plain stack">
            {earlier.map((i) => (
              <li key={i.id}>
                <Answer inquiry={i} />
              </li>
            ))}
          </ol>
          {list.hasNextPage && (
            <Button
              look="quiet"
              busy={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              Show more answers
            </Button>
          )}
        </details>
      )}
    </Section>
  );
}

const recognized: Record<NonNullable<Inquiry["matches"]>, string> = {
  control_number: "The payer states this claim’s control number.",
  payer_claim_number: "The payer states its number of this claim.",
  charge_and_date:
    "Only the charge and the dates of the payer’s claim are those of this one, so it may be another.",
};

/** Answer is one answer: what came of the inquiry, what the payer says of the claim and of each line, the messages. */
function Answer({ inquiry: i }: { inquiry: Inquiry }) {
  const [raw, setRaw] = useState(false);
  if (i.state === "pending")
    return (
      <p role="status">
        The payer has not responded yet. Its answer will appear here. Asked{" "}
        <When value={i.created_at} full />.
      </p>
    );
  return (
    <div className="stack-s">
      <p className="strong wrap-anywhere">{i.message}</p>
      <p className="muted small">
        {i.payer.name}, <When value={i.completed_at} full />
      </p>
      {i.statuses.map((s, n) => (
        <StatusOf key={n} status={s} alone={i.statuses.length === 1} />
      ))}
      {(i.matches || i.payer_claim_number || i.other_claims > 0) && (
        <p className="muted small wrap-anywhere">
          {[
            i.matches && recognized[i.matches],
            i.payer_claim_number && `The payer’s number is ${i.payer_claim_number}.`,
            i.other_claims > 0 &&
              `The payer returned ${count(i.other_claims, i.matches ? "other claim" : "claim")}.`,
          ]
            .filter(Boolean)
            .join(" ")}
        </p>
      )}
      <div className="row no-print">
        <Button look="quiet" aria-expanded={raw} onClick={() => setRaw(!raw)}>
          {raw ? "Hide the 276 and 277" : "Show the 276 and 277"}
        </Button>
      </div>
      {raw && <Messages id={i.id} />}
    </div>
  );
}

/** StatusOf shows what the payer says of the claim, or of a line. */
function StatusOf({ status: s, alone }: { status: Status; alone: boolean }) {
  const line = [s.line_number && `Line ${s.line_number}`, s.procedure_code]
    .filter(Boolean)
    .join(", ");
  const facts: [string, ReactNode][] = [];
  const add = (name: string, value: string | null, shown: (v: string) => ReactNode) => {
    if (value) facts.push([name, shown(value)]);
  };
  const date = (v: string) => <Day value={v} />;
  const money = (v: string) => <Money value={v} />;
  add("Since", s.effective_date, date);
  add("Charge", s.charge, money);
  add("Payer pays", s.paid, money);
  add("Decided", s.decided_date, date);
  add("Payment date", s.payment_date, date);
  add("Payment number", s.payment_number, (v) => <bdi className="wrap-anywhere">{v}</bdi>);
  return (
    <div>
      {!(alone && !line) && <h3>{line || "Whole claim"}</h3>}
      <ul className="plain">
        {s.codes.map((code, n) => (
          <li key={n}>
            {code.text}{" "}
            <span className="muted nowrap">
              {[code.category, code.status, code.entity].filter(Boolean).join(":")}
            </span>
          </li>
        ))}
      </ul>
      {facts.length > 0 && <Facts items={facts} />}
    </div>
  );
}

function Messages({ id }: { id: string }) {
  const { api } = useClient();
  const exchange = api.useQuery("get", "/status_inquiries/{id}/exchange", {
    params: { path: { id } },
  });
  return (
    <Read of={exchange} rows={3}>
      {(x) =>
        x.messages.length === 0 ? (
          <p className="muted">Nothing was sent.</p>
        ) : (
          <div className="stack no-print">
            <Exchanged messages={x.messages} request="276" response="277" />
          </div>
        )
      }
    </Read>
  );
}
