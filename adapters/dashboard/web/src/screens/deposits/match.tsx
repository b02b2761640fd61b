// Matching a deposit by hand: which remittances it pays, how much of each, and what the processor of
// a virtual card kept.
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { FormEnd, Modal } from "../../ui/dialog";
import { FaultsOf, MoneyField } from "../../ui/form";
import { cents, Day, day, daysAfter, dollars, Money, printable } from "../../ui/format";
import { Facts } from "../../ui/page";
import { Picker } from "../../ui/picker";
import { money } from "../remittances/standing";
import { methods, sender } from "./table";

type Deposit = Schemas["Deposit"];
type ERA = Schemas["ERASummary"];

/** Part is what the form says that the deposit pays of a remittance. */
type Part = { key: number; era: ERA | null; amount: string; fee: string };

/** most is how many remittances a deposit pays at most. */
const most = 12;

/** around is how many days before and after the deposit its remittances are looked for. */
const around = 45;

/** awaited is what of a remittance has not arrived. */
const awaited = (e: ERA) =>
  Math.max(0, cents(e.bank.payable) - cents(e.bank.received) - cents(e.bank.fee));

/** amountOf is what a person typed as an amount, in cents; 0 for nothing. */
const amountOf = (typed: string) => (/^\d+(\.\d\d?)?$/.test(typed.trim()) ? cents(typed) : 0);

/** sent is an amount as the service takes it. What is no amount is sent as it is, for its fault. */
const sent = (typed: string) => {
  const text = typed.trim();
  return /^\d+(\.\d\d?)?$/.test(text) ? money(cents(text)) : text;
};

/** MatchByHand is a button that opens the form. */
export function MatchByHand({ deposit, first }: { deposit: Deposit; first: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        look={first ? "primary" : "plain"}
        data-act={first ? "matchDeposit" : undefined}
        onClick={() => setOpen(true)}
      >
        Match by hand
      </Button>
      <Modal title="What does the deposit pay?" open={open} onOpenChange={setOpen} wide>
        <Form deposit={deposit} done={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Form({ deposit: d, done }: { deposit: Deposit; done: () => void }) {
  const [parts, setParts] = useState<Part[]>([{ key: 0, era: null, amount: "", fee: "" }]);
  const send = useSend(
    (api, key) =>
      api.POST("/deposits/{id}/match", {
        params: { path: { id: d.id }, header: key },
        body: {
          parts: parts.map((p) => ({
            era_id: p.era?.id ?? "",
            ...(p.amount.trim() && { amount: sent(p.amount) }),
            ...(p.fee.trim() && { fee: sent(p.fee) }),
          })),
        },
      }),
    {
      says: (of: Deposit) =>
        of.state === "matched" ? "The deposit is matched." : "A part of the deposit is matched.",
      refused: (e) => e.error === "INVALID_REQUEST",
      done,
    },
  );
  const change = (key: number, to: Partial<Part>) =>
    setParts((all) => all.map((p) => (p.key === key ? { ...p, ...to } : p)));
  const left = parts.reduce((rest, p) => rest - amountOf(p.amount), cents(d.rest));
  const faults = isAPIError(send.error) ? (send.error.errors ?? []) : [];
  return (
    <FaultsOf list={faults} request={{ parts }}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          send.go();
        }}
      >
        <Facts
          items={[
            ["Deposit", sender(d)],
            ["Day", <Day key="d" value={d.date} />],
            ["To explain", <Money key="r" value={d.rest} strong />],
          ]}
        />
        {parts.map((p, i) => (
          <fieldset key={p.key} className="stack">
            <legend>{parts.length > 1 ? `Remittance ${i + 1}` : "Remittance"}</legend>
            <RemittancePicker
              deposit={d}
              path={`parts.${i}.era_id`}
              taken={parts.flatMap((o) => (o.era && o.key !== p.key ? [o.era.id] : []))}
              value={p.era}
              onChange={(era) =>
                change(p.key, {
                  era,
                  ...(era && {
                    amount: money(Math.min(awaited(era), Math.max(0, left + amountOf(p.amount)))),
                  }),
                })
              }
            />
            <div className="row">
              <MoneyField
                label="Amount"
                path={`parts.${i}.amount`}
                hint={p.era ? `It awaits ${dollars(money(awaited(p.era)))}.` : undefined}
                value={p.amount}
                onChange={(amount) => change(p.key, { amount })}
              />
              <MoneyField
                label="Fee"
                path={`parts.${i}.fee`}
                optional
                hint={
                  d.method === "virtual_card"
                    ? "What the card’s processor kept."
                    : `What a processor kept. The deposit came by ${methods[d.method]}.`
                }
                value={p.fee}
                onChange={(fee) => change(p.key, { fee })}
              />
              {parts.length > 1 && (
                <Button
                  look="quiet"
                  onClick={() => setParts((all) => all.filter((o) => o.key !== p.key))}
                >
                  Remove
                </Button>
              )}
            </div>
          </fieldset>
        ))}
        {parts.length + d.parts.length < most && (
          <p>
            <Button
              onClick={() =>
                setParts((all) => [
                  ...all,
                  { key: (all.at(-1)?.key ?? 0) + 1, era: null, amount: "", fee: "" },
                ])
              }
            >
              Add a remittance
            </Button>
          </p>
        )}
        <p className="muted" aria-live="polite">
          {left >= 0
            ? `${dollars(money(left))} of the deposit stays to explain.`
            : `The amounts are ${dollars(money(-left))} more than the deposit has.`}
        </p>
        <FormEnd busy={send.isPending}>Match</FormEnd>
      </form>
    </FaultsOf>
  );
}

/** RemittancePicker is a field to find a remittance that awaits money. */
function RemittancePicker({
  deposit: d,
  path,
  taken,
  value,
  onChange,
}: {
  deposit: Deposit;
  path: string;
  taken: readonly string[];
  value: ERA | null;
  onChange: (era: ERA | null) => void;
}) {
  const { fetch } = useClient();
  return (
    <Picker
      kind={`awaiting ${d.id}`}
      label="Remittance"
      path={path}
      placeholder="Payer, trace number or amount"
      nothing="No remittance that awaits money has such a payer, trace number or amount."
      value={value}
      onChange={onChange}
      disabled={(e) => taken.includes(e.id)}
      text={(e) => `${printable(e.payer_name)}, ${printable(e.payment.trace_number ?? "no trace")}`}
      about={(e) =>
        `${e.payment.date ? `${day(e.payment.date)}, ` : ""}${dollars(money(awaited(e)))}`
      }
      find={async (text, signal) => {
        const near = { paid_from: daysAfter(d.date, -around), paid_to: daysAfter(d.date, around) };
        // An exact trace number is found on any day.
        const queries = [near, ...(text ? [{ trace_number: text }] : [])];
        const replies = await Promise.all(
          queries.map((query) =>
            fetch.GET("/eras", { params: { query: { ...query, limit: 100 } }, signal }),
          ),
        );
        const all = new Map<string, ERA>();
        for (const { data, error } of replies) {
          if (error) throw error;
          for (const e of data.data) if (awaited(e) > 0) all.set(e.id, e);
        }
        const sought = text.toLowerCase().replace(/^\$/, "");
        const plain = sought.replaceAll(",", "");
        return [...all.values()]
          .filter(
            (e) =>
              e.payer_name.toLowerCase().includes(sought) ||
              (e.payer?.name ?? "").toLowerCase().includes(sought) ||
              (e.payment.trace_number ?? "").toLowerCase().includes(sought) ||
              money(awaited(e)).startsWith(plain),
          )
          .slice(0, 30);
      }}
    />
  );
}
