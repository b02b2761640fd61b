// One deposit: what it pays, and the remittances that it may pay.
import { useParams } from "@tanstack/react-router";
import { type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { Copy } from "../../ui/copy";
import { Confirm } from "../../ui/dialog";
import { Day, dollars, Money, None, printable, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Notes } from "../../ui/notes";
import { Facts, Notice, Page, Section, Waiting } from "../../ui/page";
import { count, plural } from "../../ui/plural";
import { State } from "../../ui/state";
import { Table } from "../../ui/table";
import { Traces } from "../../ui/traces";
import { TasksOf, useTasksOf } from "../today/about";
import { MatchByHand } from "./match";
import { methods, sender } from "./table";

type Deposit = Schemas["Deposit"];

export function DepositDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const deposit = api.useQuery("get", "/deposits/{id}", { params: { path: { id } } });
  const tasks = useTasksOf(id);
  if (!deposit.data || tasks.isPending)
    return <Waiting title="Deposit" rows={8} of={deposit.data ? tasks : deposit} />;
  const d = deposit.data;
  return (
    <Page
      title={sender(d)}
      above={<Back to="/deposits">Deposits</Back>}
      about={
        <>
          <State value={d.state} />
          <Day value={d.date} />
          <strong>
            <Money value={d.amount} />
          </strong>
        </>
      }
      curl={`/deposits/${d.id}`}
    >
      <TasksOf tasks={tasks} />
      <div className="columns">
        <div>
          {d.parts.length > 0 && <Pays deposit={d} write={may.write} />}
          {d.state === "unmatched" && <Candidates deposit={d} write={may.write} />}
          {d.returned_by && (
            <Notice
              tone="warn"
              title="The bank took the money back"
              action={<Go to={`/deposits/${d.returned_by}`}>Open the return</Go>}
            >
              The remittances that it paid await their money again.
            </Notice>
          )}
        </div>
        <div>
          <Section title="Deposit">
            <Facts
              items={[
                ["Account", `…${d.account}`],
                ["Method", methods[d.method]],
                [
                  "Trace or check number",
                  d.trace_number ? printable(d.trace_number) : <None key="t" />,
                ],
                ["Bank’s reference", d.reference ? printable(d.reference) : <None key="r" />],
                ["Imported", <When key="i" value={d.imported_at} full />],
              ]}
            />
            {d.text && <p className="words">{printable(d.text)}</p>}
            <p className="small">
              <Copy value={d.id} label="Copy the ID" />
            </p>
          </Section>
          <Notes of="/deposits/{id}/notes" id={d.id} />
          <Traces key={d.id} id={d.id} />
        </div>
      </div>
    </Page>
  );
}

/** by says how a part was matched. */
const by: Record<Deposit["parts"][number]["matched_by"], string> = {
  trace_number: "Trace number and amount agree",
  payer_amount_and_date: "The only one with this payer, amount and day",
  user: "Matched by hand",
};

/** Pays lists the remittances that the deposit pays. */
function Pays({ deposit: d, write }: { deposit: Deposit; write: boolean }) {
  const undo = useSend(
    (api, key) =>
      api.POST("/deposits/{id}/unmatch", { params: { path: { id: d.id }, header: key }, body: {} }),
    { says: "The match is undone." },
  );
  return (
    <Section
      title="Pays"
      flush
      actions={
        write && (
          <Confirm
            title="Undo the match?"
            action="Undo the match"
            danger
            busy={undo.isPending}
            onConfirm={() => undo.go()}
            trigger={(open) => <Button onClick={open}>Undo the match</Button>}
          >
            <p>
              Its remittances await their money again, and Molar does not match this deposit by
              itself any more.
            </p>
          </Confirm>
        )
      }
    >
      <Table
        caption="Remittances that the deposit pays"
        rows={d.parts}
        id={(p) => `${p.era_id} ${p.at}`}
        to={(p) => `/remittances/${p.era_id}`}
        columns={[
          { head: "How", cell: (p) => by[p.matched_by] },
          { head: "When", cell: (p) => <When value={p.at} /> },
          { head: "Who", cell: (p) => (p.by ? <Changer by={p.by} /> : "Molar") },
          {
            head: "Amount",
            right: true,
            cell: (p) => (
              <>
                <Money value={p.amount} strong />
                {p.fee !== "0.00" && (
                  <span className="sub">
                    and <Money value={p.fee} /> of fees
                  </span>
                )}
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

type Candidate = Deposit["candidates"][number];

/** Candidates offers what the deposit may pay, the likeliest first. */
function Candidates({ deposit: d, write }: { deposit: Deposit; write: boolean }) {
  const match = useSend(
    async (api, key, c: Candidate) => {
      // A remittance that came in several deposits is matched from each of them, this one last.
      const [first] = c.eras;
      for (const o of first ? c.other_deposits : []) {
        const { error } = await api.POST("/deposits/{id}/match", {
          params: {
            path: { id: o.deposit_id },
            header: { "Idempotency-Key": `${key["Idempotency-Key"]}-${o.deposit_id}` },
          },
          body: { parts: [{ era_id: first?.era_id ?? "" }] },
        });
        if (error) return { error };
      }
      return api.POST("/deposits/{id}/match", {
        params: { path: { id: d.id }, header: key },
        body: { parts: c.eras.map(({ era_id }) => ({ era_id })) },
      });
    },
    {
      says: (done: Deposit) =>
        done.state === "matched" ? "The deposit is matched." : "A part of the deposit is matched.",
    },
  );
  if (d.candidates.length === 0)
    return (
      <Notice
        title="No remittance fits by itself"
        action={write && <MatchByHand deposit={d} first />}
      >
        Import the payer’s 835 if you have it: this deposit finds it then. A payment by virtual card
        is matched by hand, with its fee. If the money is not from a payer, decide so on its task.
      </Notice>
    );
  return (
    <Section
      title={`May pay (${dollars(d.rest)} left)`}
      actions={write && <MatchByHand deposit={d} first={false} />}
    >
      <ol className="plain candidates">
        {d.candidates.map((c, i) => (
          <li
            key={[
              ...c.eras.map((e) => e.era_id),
              ...c.other_deposits.map((o) => o.deposit_id),
            ].join()}
            className="became"
          >
            <Proposal candidate={c} />
            <div className="right">
              <p>
                <Money value={c.total} strong />
              </p>
              {write && (
                <Button
                  look={i === 0 ? "primary" : "plain"}
                  data-act="matchDeposit"
                  data-of={c.eras.map((e) => e.era_id).join(" ")}
                  busy={match.isPending}
                  onClick={() => match.go(c)}
                >
                  {acts(c)}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** acts names what the button of a proposal does. */
function acts(c: Candidate): string {
  if (c.other_deposits.length > 0) return `Match ${count(c.other_deposits.length + 1, "deposit")}`;
  return c.eras.length === 1 ? "Match" : `Match ${count(c.eras.length, "remittance")}`;
}

/** Proposal lists the remittances of a candidate, and the deposits that pay with this one. */
function Proposal({ candidate: c }: { candidate: Candidate }) {
  return (
    <div>
      {c.eras.length > 1 && (
        <p className="small muted">Remittances of one payer that add up to it</p>
      )}
      {c.eras.map((e) => (
        <p key={e.era_id} className="wrap-anywhere">
          <Go to={`/remittances/${e.era_id}`}>{printable(e.payer_name)}</Go>{" "}
          <span className="muted small">
            {printable(e.trace_number)} · <Day value={e.date} /> · <Money value={e.awaited} />
          </span>
        </p>
      ))}
      {c.other_deposits.length > 0 && (
        <p className="small muted">
          Together with {count(c.other_deposits.length, "other deposit")}, which{" "}
          {plural(c.other_deposits.length, "is", "are")} matched, too
        </p>
      )}
      {c.other_deposits.map((o) => (
        <p key={o.deposit_id} className="wrap-anywhere">
          <Go to={`/deposits/${o.deposit_id}`}>{sender(o)}</Go>{" "}
          <span className="muted small">
            …{o.account} · <Day value={o.date} /> · <Money value={o.rest} />
          </span>
        </p>
      ))}
    </div>
  );
}
