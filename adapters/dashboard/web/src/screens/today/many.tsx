// What is done with many tasks at once, and with the tasks of many resources.
import type { ComponentType } from "react";
import type { Client, Schemas } from "../../api/client";
import { useMe } from "../../api/session";
import { Left } from "../../ui/many";
import { count } from "../../ui/plural";
import { type Act, type Key, sent } from "../../ui/selection";
import { Closing, closeAttachment } from "../attachments/many";
import { askPayer, Releasing, releaseClaim, Sending, sendClaim } from "../claims/many";
import { postRemittance } from "../remittances/many";
import { actOf, kinds, type Task } from "./acts";
import { People, snoozedUntil, Until, useWhose } from "./put-off";

type Api = Client["fetch"];

/** named names a task among others. */
export const named = (t: Task) =>
  [kinds[t.kind], t.patient_name ?? t.payer?.name].filter(Boolean).join(", ");

const assign = (api: Api, key: Key, id: string, to: string) =>
  sent(
    api.POST("/tasks/{id}/assign", {
      params: { path: { id }, header: key },
      body: { user_id: to || null },
    }),
  );

/** first is an act for the tasks whose first action it is. */
const first = (
  operation: string,
  act: Pick<Act<Task>, "name" | "did" | "title" | "ask">,
  send: (api: Api, key: Key, id: string) => Promise<string>,
): Act<Task> => ({
  ...act,
  not: (t) =>
    t.actions[0] === operation ? null : `Its task asks for something else: ${actOf(t).label}.`,
  send: (api, key, t) => send(api, key, t.resource.id),
});

/** asks asks before an act is done with many resources of a kind. */
const asks = (
  does: string,
  what: string,
  Ask: ComponentType<{ n: number; go: (choice: string) => void }>,
): Pick<Act<Task>, "title" | "ask"> => ({
  title: (rows) => `${does} ${count(rows.length, what)}?`,
  ask: (rows, go) => <Ask n={rows.length} go={go} />,
});

const sending = asks("Send", "claim", Sending);
const closing = asks("Send", "attachment", Closing);
const releasing = asks("Release", "claim", Releasing);

/** firsts are the first actions of tasks that are safe for many. */
const firsts: readonly Act<Task>[] = [
  first("postERA", { name: "Post", did: "posted" }, postRemittance),
  first("submitClaim", { name: "Send the claims", did: "queued", ...sending }, sendClaim),
  first("closeAttachment", { name: "Send the images", did: "sent", ...closing }, closeAttachment),
  first("releaseClaim", { name: "Release", did: "released", ...releasing }, releaseClaim),
  first("createStatusInquiry", { name: "Ask the payer", did: "asked about" }, askPayer),
];

/** useTaskActs returns what can be done with many tasks: what they ask for first, and whose they
 *  are until when. */
export function useTaskActs(snoozed: boolean): readonly Act<Task>[] {
  const me = useMe().user?.id;
  const whose = useWhose();
  return [
    ...(snoozed ? [] : firsts),
    ...(me
      ? [
          {
            name: "Take",
            did: "yours",
            not: (t: Task) => (t.assignee === me ? "It is yours already." : null),
            send: async (api: Api, key: Key, t: Task) => whose(await assign(api, key, t.id, me)),
          },
        ]
      : []),
    {
      name: "Assign",
      did: "assigned",
      title: (rows) => `Who does ${count(rows.length, "task")}?`,
      ask: (_, go) => <People of={undefined} go={(to) => go(to ?? "")} />,
      send: async (api, key, t, to) => whose(await assign(api, key, t.id, to)),
    },
    snoozed
      ? {
          name: "Bring back",
          did: "back on the list",
          send: async (api, key, t) => {
            await sent(
              api.POST("/tasks/{id}/wake", { params: { path: { id: t.id }, header: key } }),
            );
            return "Back on the list.";
          },
        }
      : {
          name: "Snooze",
          did: "snoozed",
          title: (rows) => `Until when are ${count(rows.length, "task")} put off?`,
          ask: (_, go) => <Until go={(to) => go(to ?? "")} />,
          send: async (api, key, t, until) =>
            snoozedUntil(
              await sent(
                api.POST("/tasks/{id}/snooze", {
                  params: { path: { id: t.id }, header: key },
                  body: until ? { until } : {},
                }),
              ),
            ),
        },
  ];
}

/** tasksOf returns the open tasks of a resource, or leaves it as it is. */
export async function tasksOf(api: Api, id: string): Promise<Schemas["Task"][]> {
  const { data } = await sent(
    api.GET("/tasks", { params: { query: { resource_id: id, limit: 100 } } }),
  );
  if (data.length === 0) throw new Left("It has no open task.");
  return data as Schemas["Task"][];
}

/** useAssignTasks returns the act that gives the open tasks of many resources to a person. */
export function useAssignTasks<T extends { id: string }>(): Act<T> {
  const whose = useWhose();
  return {
    name: "Assign",
    did: "assigned",
    title: (rows) => `Who does the tasks of ${count(rows.length, "row")}?`,
    ask: (_, go) => <People of={undefined} go={(to) => go(to ?? "")} />,
    send: async (api, key, row, to) => {
      let says = "";
      for (const t of await tasksOf(api, row.id)) {
        const own = { "Idempotency-Key": `${key["Idempotency-Key"]}-${t.id}` };
        says = whose(await assign(api, own, t.id, to));
      }
      return says;
    },
  };
}
