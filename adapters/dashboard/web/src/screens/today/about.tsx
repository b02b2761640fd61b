// The open tasks of a resource and what was decided about it, above its page.
import { useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { dollars, When } from "../../ui/format";
import { useGo } from "../../ui/link";
import { Section } from "../../ui/page";
import { Table } from "../../ui/table";
import { actOf, decided, kinds, type Task } from "./acts";
import { press } from "./press";
import { useWake } from "./put-off";
import { useQueue } from "./queue";
import { useDoing, useTaskColumns } from "./rows";
import "./today.css";

/** useTasksOf reads the open tasks of a resource, and what was decided about it, which its page
 *  waits for: nothing moves when they come. Shown are those that the bar above the page does not
 *  show already. */
export function useTasksOf(id: string) {
  const { api } = useClient();
  const bar = useQueue()?.task;
  const query = { resource_id: id, limit: 100 };
  const tasks = api.useQuery("get", "/tasks", { params: { query } });
  const done = api.useQuery("get", "/tasks", { params: { query: { ...query, state: "done" } } });
  return {
    ...tasks,
    isPending: tasks.isPending || done.isPending,
    error: tasks.error ?? done.error,
    refetch: () => Promise.all([tasks.refetch(), done.refetch()]),
    shown: (tasks.data?.data ?? []).filter((t) => t.id !== bar),
    settled: (done.data?.data ?? []).filter((t) => t.settled),
  };
}

/** TasksOfOne is what a page shows of the tasks of its resource. */
export type TasksOfOne = { shown: readonly Task[]; settled: readonly Task[] };

/** TasksOf shows the open tasks of a resource as Today does, and what was decided about it. What a
 *  task asks for is done by the page itself. */
export function TasksOf({ tasks: { shown, settled } }: { tasks: TasksOfOne }) {
  const go = useGo();
  const [does, questions] = useDoing((t) => {
    const { name, target } = actOf(t);
    if (!press(name)) go(target);
  });
  const columns = useTaskColumns(does, { resource: true });
  return (
    <>
      {shown.length > 0 && (
        <Section flush id="tasks">
          <Table caption="Open tasks" rows={shown} id={(t) => t.id} columns={columns} dense />
        </Section>
      )}
      {settled.length > 0 && <Settled tasks={settled} />}
      {questions}
    </>
  );
}

/** Settled lists what was decided about a resource, which can be taken back. */
function Settled({ tasks }: { tasks: readonly Task[] }) {
  const may = useMay();
  const wake = useWake();
  return (
    <Section title="Decided">
      <ul className="plain">
        {tasks.map(
          (t) =>
            t.settled && (
              <li key={t.id} className="spread">
                <span>
                  <span className="strong">{kinds[t.kind]}:</span> {decided[t.settled.as]}
                  {t.settled.amount && `, ${dollars(t.settled.amount)}`}.{" "}
                  <span className="muted">
                    <Changer by={t.settled.by} />, <When value={t.settled.at} />
                  </span>
                  {t.settled.note && <span className="sub words">{t.settled.note}</span>}
                </span>
                {may.write && (
                  <Button className="no-print" busy={wake.isPending} onClick={() => wake.go(t)}>
                    Take it back
                  </Button>
                )}
              </li>
            ),
        )}
      </ul>
    </Section>
  );
}
