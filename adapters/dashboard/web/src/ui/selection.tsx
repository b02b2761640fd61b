// Rows that are selected, and what is done with all of them: the screen sends one request for each.
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { type Client, isAPIError, newKey, Unreachable, useClient } from "../api/client";
import { useMay } from "../api/session";
import { type AnyTarget, screenOf } from "../shell/places";
import { Button } from "./button";
import { Cancel, Modal, useLeaving } from "./dialog";
import { dollars, sum } from "./format";
import { useKeys } from "./keys";
import { GoTo } from "./link";
import { between, Left, type Outcome, patiently, perform, tally } from "./many";
import { attend, why } from "./page";
import { useRows } from "./rows";

/** Key is the header of a write that may be repeated. */
export type Key = { "Idempotency-Key": string };

/** Act is what may be done with many rows. */
export type Act<T> = {
  name: string; // on its button
  did: string; // of the rows that it was done with, such as "posted"
  not?: (row: T) => string | null; // why it cannot be done with a row, and what to do
  title?: (rows: readonly T[]) => string; // of the question that it asks first
  ask?: (rows: readonly T[], go: (choice: string) => void) => ReactNode;
  // does it with one row, and returns in words what came of it
  send: (api: Client["fetch"], key: Key, row: T, choice: string) => Promise<string>;
};

/** Use is what may be done with many rows at once without a change, such as to print them. */
export type Use<T> = {
  name: string; // on its button
  not?: (row: T) => string | null; // why it leaves a row out
  does: (rows: readonly T[]) => unknown;
};

/** sent returns what a request replied, or throws why the service refused it. */
export async function sent<Out>(reply: Promise<{ data?: Out; error?: unknown }>): Promise<Out> {
  const { data, error } = await reply;
  if (error !== undefined) throw error;
  return data as Out;
}

/** Select is what a table needs to let its rows be selected. */
export type Select<T> = {
  label: (row: T) => string;
  of: number; // how many rows can be selected
  has: (row: T) => boolean;
  toggle: (row: T, through: boolean) => void;
  all: "none" | "some" | "all";
  toggleAll: () => void;
};

/** Many is a list whose rows can be selected. */
export type Many<T> = {
  table: string; // the ID of the table
  select: Select<T> | undefined;
  opens: (row: T) => void;
  at: () => number; // the row that has the focus; -1 for none
  press: (name: string) => boolean; // begins an act with the selected rows; false without any
  keys: readonly (readonly [key: string, does: string])[];
  bar: ReactNode;
};

type Run<T> = {
  act: Act<T>;
  rows: readonly T[];
  outcomes: ReadonlyMap<string, Outcome>;
  ended: boolean;
};

const atOnce = 3;
const passing = ["TIMEOUT", "TOO_MANY_REQUESTS", "IDEMPOTENCY_KEY_IN_USE", "UNAVAILABLE"];

/** again reports whether a request that failed is sent once more, with the same key. */
const again = (e: unknown, tries: number) =>
  (e instanceof Unreachable && tries < 8) ||
  (isAPIError(e) && passing.includes(e.error) && tries < 5);

const wait = (tries: number) =>
  new Promise<void>((done) => setTimeout(done, Math.min(500 * 2 ** tries, 5_000)));

/** useMany lets the rows of a list be selected, by X at the row that has the focus, by the
 *  boxes, and with Shift from the last one on. Those that failed, or were left as they are, stay
 *  selected. */
export function useMany<T>(
  rows: readonly T[],
  of: {
    id: (row: T) => string;
    name: (row: T) => string; // of a row, in the words of its list
    target?: (row: T) => AnyTarget | undefined; // its screen, if it is not that of its ID
    amount?: (row: T) => string | null | undefined;
    acts: readonly Act<T>[];
    uses?: readonly Use<T>[]; // also for people who may only read
    more?: () => void; // loads more rows
    begins?: () => number; // the row that has the focus first
    keys?: readonly (readonly [key: string, does: string])[]; // what else keys do
  },
): Many<T> {
  const { fetch, queries } = useClient();
  const may = useMay();
  const acts = may.write ? of.acts : [];
  const uses = of.uses ?? [];
  const selects = acts.length + uses.length > 0;
  const table = useId();
  const ids = rows.map(of.id);
  const { at, opens } = useRows(table, ids, of.more ?? (() => undefined), of.begins);
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [run, setRun] = useState<Run<T> | null>(null);
  const [asking, ask] = useState<Act<T> | null>(null);
  const from = useRef("");
  const stop = useRef(false);
  const picked = rows.filter((row) => chosen.has(of.id(row)));
  if (picked.length < chosen.size) choose(new Set(picked.map(of.id))); // a row has left the list
  const running = run !== null && !run.ended;
  const leaving = useLeaving(
    () => running,
    "Molar has not finished the selected rows. What it has not begun stays as it is.",
  );
  // The requests go on outside React.
  useEffect(
    () => () => {
      stop.current = true;
    },
    [],
  );
  const able = (act: Pick<Act<T>, "not">) => picked.filter((row) => !act.not?.(row));

  // The results of an act that did all make room for the next selection.
  const fresh = () => {
    if (run?.ended && [...run.outcomes.values()].every((o) => o.state === "done")) setRun(null);
  };
  const toggle = (row: T, through: boolean) => {
    const id = of.id(row);
    const next = new Set(chosen);
    const to = !chosen.has(id);
    for (const one of through ? between(ids, from.current, id) : [id]) {
      if (to) next.add(one);
      else next.delete(one);
    }
    from.current = id;
    choose(next);
    fresh();
  };
  useKeys(
    selects
      ? {
          x: () => {
            const row = rows[at()];
            if (row) toggle(row, false);
          },
        }
      : {},
  );

  const start = async (act: Act<T>, choice: string) => {
    const all = picked;
    stop.current = false;
    const report = (row: T, outcome: Outcome) => {
      setRun((r) => r && { ...r, outcomes: new Map(r.outcomes).set(of.id(row), outcome) });
      if (outcome.state === "done")
        choose((now) => new Set([...now].filter((id) => id !== of.id(row))));
    };
    const outcomes = all.map((row): [string, Outcome] => {
      const not = act.not?.(row);
      return [of.id(row), not ? { state: "left", says: not } : { state: "waiting", says: "" }];
    });
    setRun({ act, rows: all, outcomes: new Map(outcomes), ended: false });
    await perform(
      able(act),
      atOnce,
      async (row) => {
        const key = { "Idempotency-Key": newKey() };
        try {
          const says = await patiently(() => act.send(fetch, key, row, choice), again, wait);
          return { state: "done", says };
        } catch (e) {
          if (isAPIError(e) && e.error === "UNAUTHORIZED") stop.current = true;
          return e instanceof Left
            ? { state: "left", says: e.message }
            : { state: "failed", says: why(e) };
        }
      },
      report,
      () => stop.current,
    );
    setRun((r) => r && { ...r, ended: true });
    void queries.invalidateQueries();
  };
  const begin = (act: Act<T>) => {
    if (running || able(act).length === 0) return;
    if (act.ask) ask(act);
    else void start(act, "");
  };
  const question = asking && able(asking);
  return {
    table,
    at,
    opens: (row) => opens(of.id(row)),
    keys: [
      ["J", "next"],
      ["K", "previous"],
      ["Enter", "open"],
      ...(selects ? ([["X", "select"]] as const) : []),
      ...(of.keys ?? []),
    ],
    press: (name) => {
      if (picked.length === 0) return false;
      const act = acts.find((a) => a.name === name);
      if (act) begin(act);
      return true;
    },
    select: selects
      ? {
          label: of.name,
          of: rows.length,
          has: (row) => chosen.has(of.id(row)),
          toggle,
          all: allOf(picked.length, rows.length),
          toggleAll: () => {
            choose(new Set(picked.length < rows.length ? ids : []));
            fresh();
          },
        }
      : undefined,
    bar: (
      <>
        {(picked.length > 0 || run) && (
          <section className="many-bar no-print" aria-label="Selected rows">
            {run && (
              <Results
                run={run}
                of={of}
                stop={() => {
                  stop.current = true;
                }}
                close={() => setRun(null)}
              />
            )}
            {picked.length > 0 && !running && (
              <div className="spread">
                <p role="status">
                  <strong className="numbers">{picked.length.toLocaleString("en-US")}</strong>{" "}
                  selected
                  {of.amount && (
                    <span className="numbers muted">, {dollars(sum(picked.map(of.amount)))}</span>
                  )}
                </p>
                <div className="row">
                  <Acts acts={acts} uses={uses} picked={picked} able={able} begin={begin} />
                  {picked.length < rows.length && (
                    <Button look="quiet" onClick={() => choose(new Set(ids))}>
                      Select all {rows.length.toLocaleString("en-US")}
                    </Button>
                  )}
                  <Button look="quiet" onClick={() => choose(new Set())}>
                    Clear
                  </Button>
                </div>
              </div>
            )}
          </section>
        )}
        <Modal
          title={(question && asking.title?.(question)) ?? ""}
          open={asking !== null}
          onOpenChange={(o) => {
            if (!o) ask(null);
          }}
          first=".choices button, .dialog-actions .button-primary"
          forgets
        >
          {question &&
            asking.ask?.(question, (choice) => {
              ask(null);
              void start(asking, choice);
            })}
        </Modal>
        {leaving.dialog}
      </>
    ),
  };
}

const allOf = (picked: number, rows: number) => {
  if (picked === 0) return "none";
  return picked < rows ? "some" : "all";
};

/** Acts are the buttons of what can be done with some of the selected rows; without any, it says
 *  why. */
function Acts<T>({
  acts,
  uses,
  picked,
  able,
  begin,
}: {
  acts: readonly Act<T>[];
  uses: readonly Use<T>[];
  picked: readonly T[];
  able: (act: Pick<Act<T>, "not">) => T[];
  begin: (act: Act<T>) => void;
}) {
  const possible = [
    ...acts.map((act) => ({ act, does: () => begin(act) })),
    ...uses.map((use) => ({ act: use, does: () => void use.does(able(use)) })),
  ].filter(({ act }) => able(act).length > 0);
  const [first] = picked;
  const whyNot = first && [...acts, ...uses][0]?.not?.(first);
  if (possible.length === 0) return <p className="muted">{whyNot}</p>;
  return possible.map(({ act, does }, i) => {
    const n = able(act).length;
    return (
      <Button key={act.name} look={i === 0 ? "primary" : "plain"} onClick={does}>
        {act.name}
        {n < picked.length && ` ${n.toLocaleString("en-US")} of ${picked.length}`}
      </Button>
    );
  });
}

/** Results says how far an act is, and then what came of each row: those that failed first. */
function Results<T>({
  run: { act, rows, outcomes, ended },
  of,
  stop,
  close,
}: {
  run: Run<T>;
  of: {
    id: (row: T) => string;
    name: (row: T) => string;
    target?: (row: T) => AnyTarget | undefined;
  };
  stop: () => void;
  close: () => void;
}) {
  const [stopping, setStopping] = useState(false);
  const all = [...outcomes.values()];
  const gone = all.filter((o) => o.state !== "waiting" && o.state !== "sent").length;
  const share = Math.round((100 * gone) / Math.max(1, all.length));
  const each = (...states: Outcome["state"][]) =>
    rows.flatMap((row) => {
      const outcome = outcomes.get(of.id(row));
      return outcome && states.includes(outcome.state) ? [{ row, outcome }] : [];
    });
  const bad = each("failed", "left");
  const list = (some: { row: T; outcome: Outcome }[]) => (
    <ul className="plain stack-s many-results">
      {some.map(({ row, outcome }) => {
        const target = of.target?.(row) ?? screenOf(of.id(row));
        return (
          <li key={of.id(row)}>
            {target ? <GoTo target={target}>{of.name(row)}</GoTo> : of.name(row)}:{" "}
            <span className="wrap-anywhere">{outcome.says}</span>
          </li>
        );
      })}
    </ul>
  );
  return (
    <div className="stack-s">
      <div className="many-head">
        <p className="strong" role="status" ref={attend} tabIndex={-1}>
          {ended ? `${tally(all, act.did)}.` : `${act.name}: ${gone} of ${all.length}`}
        </p>
        {ended ? (
          <button
            type="button"
            className="icon-button"
            aria-label="Close the results"
            onClick={close}
          >
            <X size={18} aria-hidden />
          </button>
        ) : (
          <Button
            disabled={stopping}
            onClick={() => {
              setStopping(true);
              stop();
            }}
          >
            {stopping ? "Stopping…" : "Stop"}
          </Button>
        )}
      </div>
      {!ended && (
        <div className="bar" role="img" aria-label={`${share}% is finished`}>
          <div style={{ width: `${share}%` }} />
        </div>
      )}
      {ended && bad.length > 0 && list(bad)}
      {ended && each("done").length > 0 && (
        <details>
          <summary>What came of each</summary>
          {list(each("done"))}
        </details>
      )}
    </div>
  );
}

/** Sure asks before an act that cannot be undone. */
export function Sure({
  action,
  go,
  children,
}: {
  action: string;
  go: (choice: string) => void;
  children: ReactNode;
}) {
  return (
    <div className="stack">
      <div className="stack-s">{children}</div>
      <div className="dialog-actions">
        <Cancel />
        <Button look="primary" onClick={() => go("")}>
          {action}
        </Button>
      </div>
    </div>
  );
}
