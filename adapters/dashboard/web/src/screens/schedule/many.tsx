// What is done with many schedules, and with many patients of one.
import type { Client } from "../../api/client";
import { Left } from "../../ui/many";
import { count, plural } from "../../ui/plural";
import { type Act, type Key, Sure, sent } from "../../ui/selection";
import { tasksOf } from "../today/many";
import { type Batch, type Item, mayRepeat, undecided, unretried } from "./items";

type Api = Client["fetch"];
type Page = { data?: { data: Item[]; next_cursor: string | null }; error?: unknown };

/** everyItem returns all items of a batch that a filter leaves. */
export async function everyItem(
  api: Api,
  id: string,
  filter: { needs_a_person?: boolean } = {},
  signal?: AbortSignal,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { ...filter, limit: 100, ...(cursor && { cursor }) };
    // A page reads JSON; the text is that of a client that asks for CSV.
    const page = await sent(
      api.GET("/eligibility/batches/{id}/items", {
        params: { path: { id }, query },
        ...(signal && { signal }),
      }) as Promise<Page>,
    );
    all.push(...(page?.data ?? []));
    cursor = page?.next_cursor ?? null;
  }
  return all;
}

const retry = (api: Api, key: Key, id: string, item_ids: string[]) =>
  sent(
    api.POST("/eligibility/batches/{id}/retry", {
      params: { path: { id }, header: key },
      body: { item_ids },
    }),
  );

const handle = async (api: Api, key: Key, id: string): Promise<string> => {
  const task = (await tasksOf(api, id)).find((t) => t.settles.includes("handled"));
  if (!task) throw new Left("Its task does not allow it. Open the schedule.");
  await sent(
    api.POST("/tasks/{id}/settle", {
      params: { path: { id: task.id }, header: key },
      body: { as: "handled" },
    }),
  );
  return "Decided: done, nothing more to do until something changes.";
};

/** batchActs are what can be done with many schedules. */
export const batchActs: readonly Act<Batch>[] = [
  {
    name: "Ask again",
    did: "asked again",
    not: (b) => {
      if (b.state === "canceled") return "It is canceled.";
      return b.needs_a_person > 0 ? null : "Nobody in it needs a person.";
    },
    send: async (api, key, b) => {
      const again = (await everyItem(api, b.id, { needs_a_person: true })).filter(mayRepeat);
      if (again.length === 0) throw new Left("Every payer has answered. Open it and correct it.");
      await retry(
        api,
        key,
        b.id,
        again.map((i) => i.item_id),
      );
      return `The payers are asked again about ${count(again.length, "patient")}.`;
    },
  },
  {
    name: "Ask nothing more",
    did: "stopped",
    not: (b) =>
      b.state === "running" || b.state === "waiting" ? null : "Nothing more is asked for it.",
    title: (rows) => `Ask nothing more for ${count(rows.length, "schedule")}?`,
    ask: (rows, go) => (
      <Sure action="Ask nothing more" go={go}>
        <p>
          {plural(rows.length, "Its patients are", "Their patients are")} not asked about any more.
          What the payers answered stays.
        </p>
      </Sure>
    ),
    send: async (api, key, b) => {
      await sent(
        api.POST("/eligibility/batches/{id}/cancel", {
          params: { path: { id: b.id }, header: key },
          body: {},
        }),
      );
      return "Nothing more is asked.";
    },
  },
];

/** askNoMore leaves many patients without an answer. */
export const askNoMore = (b: Batch): Act<Item> => ({
  name: "Ask no more",
  did: "left without an answer",
  not: (i) => (i.state === "pending" ? null : "The payer is not being asked."),
  title: (rows) => `Ask no more about ${count(rows.length, "patient")}?`,
  ask: (rows, go) => (
    <Sure action="Ask no more" go={go}>
      <p>
        {plural(rows.length, "The patient stays", "The patients stay")} without an answer. The
        others are still asked about.
      </p>
    </Sure>
  ),
  send: async (api, key, i) => {
    await sent(
      api.POST("/eligibility/batches/{id}/items/{item_id}/cancel", {
        params: { path: { id: b.id, item_id: i.item_id }, header: key },
        body: {},
      }),
    );
    return "The payer is not asked again.";
  },
});

/** itemActs are what can be done with many patients of a batch. */
export const itemActs = (b: Batch): readonly Act<Item>[] => [
  {
    name: "Ask again",
    did: "asked about again",
    not: (i) => unretried(i, b),
    send: async (api, key, i) => {
      await retry(api, key, b.id, [i.item_id]);
      return "The payer is asked again.";
    },
  },
  {
    name: "Mark as handled",
    did: "handled",
    not: undecided,
    send: (api, key, i) => handle(api, key, i.id),
  },
];
