// The list of tasks, and the keys that go through it.
import { ChevronDown, Filter } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import type { Searches } from "../../api/searches";
import { useMay, useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { SelectField } from "../../ui/form";
import { Day, Money, None, When } from "../../ui/format";
import { Keys, useKeys } from "../../ui/keys";
import { Go, useGo } from "../../ui/link";
import { More } from "../../ui/menu";
import { Empty, Section } from "../../ui/page";
import { PayerFilter } from "../../ui/payer-filter";
import { type Column, List } from "../../ui/table";
import { DueOn } from "../payer-requests/due";
import { actOf, dueFrom, kinds, placeOf, type Task } from "./acts";
import { type Asks, Before, Questions, useAssign, useWake } from "./put-off";
import { keep, useQueue, useTasks, writesOf } from "./queue";

type Filters = Searches["/"];
type Counts = Schemas["TaskCounts"];
type Count = Schemas["BoundedCount"];

/** lists are the tabs: whose tasks they have, and those that were put off. */
const lists: { name: string; of: Filters; count?: (c: Counts) => Count }[] = [
  { name: "Everyone’s", of: {}, count: (c) => c.open },
  { name: "Mine", of: { assignee: "me" }, count: (c) => c.mine },
  { name: "Nobody’s", of: { assignee: "nobody" }, count: (c) => c.nobody },
  { name: "Snoozed", of: { state: "snoozed" } },
];

/** Tasks is the list. Keys move the focus through its rows, and act on the row that has it. */
export function Tasks() {
  const client = useClient();
  const may = useMay();
  const go = useGo();
  const me = useMe().user?.id;
  const [filters, set] = useFilters("/");
  const { state, assignee, kind, office_id, payer_id } = filters;
  const [narrow, setNarrow] = useState(Boolean(office_id ?? payer_id));
  const [asks, ask] = useState<Asks>(null);
  const list = useTasks(filters);
  const rows = list.data?.pages.flatMap((p) => p.data) ?? [];
  const counts = list.data?.pages[0]?.counts;
  const at = useRows(rows, () => {
    if (list.hasNextPage) void list.fetchNextPage();
  });
  const assign = useAssign();
  const wake = useWake();
  const snoozed = state === "snoozed";
  const begin = (task: Task) =>
    keep(client.mode, {
      search: filters,
      task: task.id,
      resource: task.resource.id,
      at: rows.indexOf(task),
      writes: writesOf(client),
    });
  const act = (task: Task) => {
    begin(task);
    go(actOf(task).target);
  };
  const snooze = (task: Task) => (snoozed ? wake.go(task) : ask({ what: "snooze", task }));
  const give = (task: Task) => ask({ what: "assign", task });
  const decide = (task: Task) => {
    if (task.settles.length > 0) ask({ what: "settle", task });
  };
  const on = (does: (task: Task) => void) => () => {
    const task = rows[at()];
    if (task && may.write) does(task);
  };
  useKeys({
    a: on(act),
    s: on(snooze),
    m: on((task) => assign.go({ task, to: task.assignee === me ? null : (me ?? null) })),
    g: on(give),
    d: on(decide),
  });
  const columns: Column<Task>[] = [
    {
      head: "Task",
      cell: (t) => (
        <>
          {kinds[t.kind]}
          <span className="sub">{t.reason}</span>
          <Before task={t} />
          {t.notes[0] && (
            <span className="sub task-note">
              <Changer by={t.notes[0].by} />: <bdi>{t.notes[0].text}</bdi>
            </span>
          )}
        </>
      ),
    },
    {
      head: "Patient and payer",
      cell: (t) => (
        <span>
          {t.patient_name ?? t.payer?.name ?? <None />}
          {t.patient_name && <span className="sub">{t.payer?.name}</span>}
        </span>
      ),
    },
    snoozed
      ? {
          head: "Back",
          cell: (t) =>
            t.snoozed_until ? <Day value={t.snoozed_until} /> : "When something changes",
        }
      : {
          head: "Due",
          cell: (t) => (
            <span>
              {t.due_on ? (
                <DueOn day={t.due_on} by={t.due_from ? dueFrom[t.due_from] : ""} />
              ) : (
                <span className="sub">
                  since <When value={t.since} />
                </span>
              )}
            </span>
          ),
        },
    { head: "At stake", right: true, cell: (t) => <Money value={t.amount} strong /> },
    { head: "Whose", cell: (t) => (t.assignee ? <Changer by={t.assignee} /> : <None />) },
    ...(may.write
      ? [
          {
            head: "Do",
            cell: (t: Task) => (
              <span className="above no-print">
                <More
                  look="quiet"
                  label={`What to do about ${kinds[t.kind]}, ${t.patient_name ?? t.payer?.name ?? ""}`}
                  items={[
                    { label: actOf(t).label, onSelect: () => act(t) },
                    { label: snoozed ? "Bring back" : "Snooze", onSelect: () => snooze(t) },
                    { label: "Assign", onSelect: () => give(t) },
                    ...(t.settles.length > 0
                      ? [{ label: "Decide", onSelect: () => decide(t) }]
                      : []),
                  ]}
                >
                  <ChevronDown size={16} aria-hidden />
                </More>
              </span>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section flush id="tasks">
      <div className="tabs-row">
        <nav className="tabs" aria-label="Whose tasks">
          {lists.map(({ name, of, count }) => (
            <Go
              key={name}
              to="/"
              search={{ ...filters, state: undefined, assignee: undefined, ...of }}
              replace
              className="tab"
              aria-current={state === of.state && assignee === of.assignee ? "page" : undefined}
            >
              {name}
              {counts && count && <span className="count">{upTo(count(counts))}</span>}
            </Go>
          ))}
        </nav>
        <Button
          look="quiet"
          icon={<Filter size={16} aria-hidden />}
          aria-expanded={narrow}
          onClick={() => setNarrow(!narrow)}
        >
          Filters
        </Button>
      </div>
      {narrow && <Narrow filters={filters} set={set} />}
      {counts && !snoozed && <Kinds filters={filters} counts={counts} />}
      <List
        of={list}
        caption="Tasks"
        id={(t) => t.id}
        to={placeOf}
        opens={begin}
        columns={columns}
        empty={<Nothing filters={filters} narrowed={Boolean(kind ?? office_id ?? payer_id)} />}
      />
      {rows.length > 0 && (
        <Keys
          of={[
            ["J", "next"],
            ["K", "previous"],
            ["Enter", "open"],
            ...(may.write
              ? ([
                  ["A", "act"],
                  ["S", snoozed ? "bring back" : "snooze"],
                  ["M", "take or leave"],
                  ["G", "give to a person"],
                  ["D", "decide that nothing is done"],
                ] as const)
              : []),
          ]}
        />
      )}
      <Questions asks={asks} close={() => ask(null)} />
    </Section>
  );
}

const upTo = ({ count, more }: Count) => `${count.toLocaleString("en-US")}${more ? "+" : ""}`;

/** Kinds narrows the list to a kind. The counts are of all open tasks, so a list that is narrowed otherwise has
 *  none. */
function Kinds({ filters, counts }: { filters: Filters; counts: Counts }) {
  const { assignee, office_id, payer_id, kind } = filters;
  const whole = !(assignee || office_id || payer_id);
  const found = (Object.keys(kinds) as Task["kind"][]).filter(
    (k) => (counts.kinds[k]?.count ?? 0) > 0 || kind?.includes(k),
  );
  if (found.length === 0) return null;
  const chip = (name: string, of: Filters["kind"], n?: Count) => (
    <Go
      key={name}
      to="/"
      search={{ ...filters, kind: of }}
      replace
      className="chip"
      aria-current={String(kind) === String(of) ? "true" : undefined}
    >
      {name}
      {whole && n && <span className="count">{upTo(n)}</span>}
    </Go>
  );
  return (
    <nav className="kinds no-print" aria-label="Kinds of tasks">
      {chip("All kinds", undefined)}
      {found.map((k) => chip(kinds[k], [k], counts.kinds[k]))}
    </nav>
  );
}

/** Narrow holds the filters that are used less often. */
function Narrow({ filters, set }: { filters: Filters; set: (f: Filters) => void }) {
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  return (
    <div className="filters">
      <SelectField
        label="Office"
        value={filters.office_id ?? ""}
        onChange={(v) => set({ office_id: v || undefined })}
        options={[
          ["", "All offices"],
          ...(offices.data?.data ?? []).map((o) => [o.id, o.name] as const),
        ]}
      />
      <PayerFilter id={filters.payer_id} set={(payer_id) => set({ payer_id })} />
      <Button look="quiet" onClick={() => set({ office_id: undefined, payer_id: undefined })}>
        Clear
      </Button>
    </div>
  );
}

/** Nothing stands for an empty list, and says what is good about it. */
function Nothing({ filters, narrowed }: { filters: Filters; narrowed: boolean }) {
  const all = (
    <Go to="/" className="button">
      Show everyone’s tasks
    </Go>
  );
  if (narrowed)
    return (
      <Empty title="No task matches" action={all}>
        Choose another kind, or fewer filters.
      </Empty>
    );
  if (filters.state === "snoozed")
    return (
      <Empty title="Nothing is snoozed" action={all}>
        A snoozed task waits here until its day, or until something changes.
      </Empty>
    );
  if (filters.assignee === "me")
    return (
      <Empty title="You have no tasks" action={all}>
        Take one from the list: go to it and press M.
      </Empty>
    );
  if (filters.assignee)
    return (
      <Empty title="Every task has a person" action={all}>
        New tasks are nobody’s until someone takes them.
      </Empty>
    );
  return (
    <Empty title="Nothing needs you now">
      No claim on this list is rejected, denied or late, and nothing is left to answer or to post.
      New tasks appear here by themselves.
    </Empty>
  );
}

/** useRows lets keys move the focus through the rows, and returns a function that returns the row that has it; -1 for
 *  none. The focus goes to the task that the person comes back from, and stays at its place when a row goes. */
function useRows(rows: Task[], more: () => void): () => number {
  const { mode } = useClient();
  const queue = useQueue();
  const last = useRef(-1);
  const links = () => [...document.querySelectorAll<HTMLElement>("#tasks .row-link")];
  const at = () => {
    const found = links().findIndex((l) => l.closest("tr")?.contains(document.activeElement));
    if (found >= 0) last.current = found;
    return found;
  };
  const focus = (i: number) => {
    const all = links();
    last.current = Math.max(0, Math.min(i, all.length - 1));
    all[last.current]?.focus();
    if (i >= all.length) more();
  };
  useKeys({
    j: () => focus(at() < 0 ? last.current : at() + 1),
    k: () => focus(at() < 0 ? last.current : at() - 1),
  });
  const shown = useEffectEvent(() => {
    if (queue) {
      const found = rows.findIndex((t) => t.id === queue.task);
      keep(mode, null);
      if (rows.length > 0) focus(found < 0 ? queue.at : found);
    } else if (last.current >= 0 && document.activeElement === document.body) focus(last.current);
  });
  const ids = rows.map((t) => t.id).join();
  // The focus is outside React: it is lost with the row that had it.
  useEffect(() => {
    if (ids) shown();
  }, [ids]);
  return at;
}
