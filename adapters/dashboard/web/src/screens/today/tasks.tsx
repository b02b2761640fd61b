// The list of tasks, and the keys that go through it.
import { Filter } from "lucide-react";
import { useState } from "react";
import { useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import type { Searches } from "../../api/searches";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { SelectField } from "../../ui/form";
import { useKeys } from "../../ui/keys";
import { Go, useGo } from "../../ui/link";
import { Empty, Section } from "../../ui/page";
import { PayerFilter } from "../../ui/payer-filter";
import { useMany } from "../../ui/selection";
import { List, rowsOf } from "../../ui/table";
import { actOf, kinds, placeOf, type Task } from "./acts";
import { type Count, type Counts, officesCounted, tasksOf, upTo, wholeBut } from "./counts";
import { named, useTaskActs } from "./many";
import { keep, useQueue, useTasks, writesOf } from "./queue";
import { useDoing, useTaskColumns } from "./rows";

type Filters = Searches["/"];

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
  const [filters, set] = useFilters("/");
  const { state, assignee, kind, office_id, payer_id } = filters;
  const [narrow, setNarrow] = useState(Boolean(office_id ?? payer_id));
  const list = useTasks(filters);
  const rows = rowsOf(list);
  const counts = list.data?.pages[0]?.counts;
  const snoozed = state === "snoozed";
  const open = (task: Task) =>
    keep(client.mode, {
      search: filters,
      task: task.id,
      resource: task.resource.id,
      place: placeOf(task).to,
      actions: task.actions,
      at: rows.indexOf(task),
      writes: writesOf(client),
    });
  const [does, questions] = useDoing((task) => {
    open(task);
    go(actOf(task).target);
  }, snoozed);
  const acts = useTaskActs(snoozed);
  const many = useMany(rows, {
    id: (t) => t.id,
    name: named,
    target: placeOf,
    amount: (t) => t.amount,
    acts,
    more: () => {
      if (list.hasNextPage) void list.fetchNextPage();
    },
    begins: useBack(rows),
    keys: may.write
      ? [
          ["A", "act"],
          ["S", snoozed ? "bring back" : "snooze"],
          ["M", "take or leave"],
          ["G", "give to a person"],
          ["D", "decide that nothing is done"],
          ["N", "write a note"],
        ]
      : [],
  });
  // With rows that are selected, a key is for all of them.
  const on = (does: (task: Task) => void, all?: string) => () => {
    if (!may.write || (all && many.press(all))) return;
    const task = rows[many.at()];
    if (task) does(task);
  };
  useKeys({
    a: on(does.act),
    s: on(does.snooze, snoozed ? "Bring back" : "Snooze"),
    m: on(does.take, "Take"),
    g: on(does.give, "Assign"),
    d: on(does.decide),
    n: on(does.note),
  });
  const columns = useTaskColumns(does, { snoozed });
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
      {narrow && <Narrow filters={filters} set={set} counts={counts} />}
      {counts && !snoozed && <Kinds filters={filters} counts={counts} />}
      <List
        of={list}
        caption="Tasks"
        id={(t) => t.id}
        to={placeOf}
        opens={open}
        columns={columns}
        many={many}
        empty={<Nothing filters={filters} narrowed={Boolean(kind ?? office_id ?? payer_id)} />}
      />
      {questions}
    </Section>
  );
}

/** Kinds narrows the list to a kind. */
function Kinds({ filters, counts }: { filters: Filters; counts: Counts }) {
  const { kind } = filters;
  const whole = wholeBut("kind", filters);
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
function Narrow({
  filters,
  set,
  counts,
}: {
  filters: Filters;
  set: (f: Filters) => void;
  counts: Counts | undefined;
}) {
  const { api } = useClient();
  const counted = (by: "office_id" | "payer_id") => (wholeBut(by, filters) ? counts : undefined);
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  return (
    <div className="filters">
      <SelectField
        label="Office"
        value={filters.office_id ?? ""}
        onChange={(v) => set({ office_id: v || undefined })}
        options={officesCounted(offices.data?.data ?? [], counted("office_id"))}
      />
      <PayerFilter
        id={filters.payer_id}
        begins={{ kind: "payers of tasks", with: counts?.payers?.map((p) => p.payer) ?? [] }}
        about={(p) => tasksOf(p.id, counted("payer_id"))}
        set={(payer_id) => set({ payer_id })}
      />
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

/** useBack returns a function that returns the row of the task that the person comes back from,
 *  once; -1 for none. */
function useBack(rows: Task[]): () => number {
  const { mode } = useClient();
  const queue = useQueue();
  return () => {
    if (!queue || rows.length === 0) return -1;
    keep(mode, null);
    const found = rows.findIndex((t) => t.id === queue.task);
    return found < 0 ? queue.at : found;
  };
}
