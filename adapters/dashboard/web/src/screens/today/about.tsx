// The open tasks of a resource, above its page.
import { useClient } from "../../api/client";
import { useGo } from "../../ui/link";
import { Section } from "../../ui/page";
import { Table } from "../../ui/table";
import { actOf, type Task } from "./acts";
import { press } from "./press";
import { useQueue } from "./queue";
import { useDoing, useTaskColumns } from "./rows";
import "./today.css";

/** useTasksOf reads the open tasks of a resource, which its page waits for: nothing moves when
 *  they come. Shown are those that the bar above the page does not show already. */
export function useTasksOf(id: string) {
  const { api } = useClient();
  const bar = useQueue()?.task;
  const tasks = api.useQuery("get", "/tasks", {
    params: { query: { resource_id: id, limit: 100 } },
  });
  return { ...tasks, shown: (tasks.data?.data ?? []).filter((t) => t.id !== bar) };
}

/** TasksOf shows the open tasks of a resource as Today does. What a task asks for is done by the
 *  page itself. */
export function TasksOf({ tasks }: { tasks: readonly Task[] }) {
  const go = useGo();
  const [does, questions] = useDoing((t) => {
    const { name, target } = actOf(t);
    if (!press(name)) go(target);
  });
  const columns = useTaskColumns(does, { resource: true });
  return (
    <>
      {tasks.length > 0 && (
        <Section flush id="tasks">
          <Table caption="Open tasks" rows={tasks} id={(t) => t.id} columns={columns} dense />
        </Section>
      )}
      {questions}
    </>
  );
}
