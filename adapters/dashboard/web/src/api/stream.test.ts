import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { describe, expect, test } from "vitest";
import { type Change, listener, outdate, pause, shows } from "./stream";

const change = (object: Change["object"], id = "x"): Change => ({ object, id }) as Change;
const event = (id: number, c: Change) => `id: ${id}\ndata: ${JSON.stringify(c)}\n\n`;

/** hears returns all that a listener hears of a text in pieces of a size. */
function hears(text: string, size: number) {
  const hear = listener();
  const all = { resets: 0, changes: [] as Change[], last: undefined as string | undefined };
  for (let at = 0; at < text.length; at += size) {
    const { reset, changes, last } = hear(text.slice(at, at + size));
    if (reset) all.resets++;
    all.changes.push(...changes);
    all.last = last ?? all.last;
  }
  return all;
}

describe("the stream", () => {
  const text =
    event(1, change("claim", "clm_1")) +
    "id: 2\n: nothing changed\n\n" +
    event(3, change("era", "era_1")) +
    "event: reset\ndata: {}\n\n" +
    event(4, change("office", "off_1"));

  test.each([1, 2, 3, 7, 16, 1000])("says the same in pieces of %d", (size) => {
    expect(hears(text, size)).toEqual({
      resets: 1,
      changes: [change("claim", "clm_1"), change("era", "era_1"), change("office", "off_1")],
      last: "4",
    });
  });

  test("gathers the changes of one piece", () => {
    const hear = listener();
    const heard = hear(event(1, change("claim", "a")) + event(2, change("claim", "b")));
    expect(heard.changes.map((c) => c.id)).toEqual(["a", "b"]);
    expect(hear("").changes).toEqual([]);
  });

  test("goes on after the last whole event, not after one that is cut", () => {
    const hear = listener();
    const [begun, end] = ["id: 8\ndata: {", '"object":"claim","id":"a"}\n\n'];
    expect(hear(event(7, change("claim")) + begun)).toMatchObject({ last: "7" });
    expect(hear(end)).toEqual({ reset: false, changes: [change("claim", "a")], last: "8" });
  });

  test("has an ID in a comment, too", () => {
    expect(listener()("id: 9\n: still here\n\n")).toEqual({ reset: false, changes: [], last: "9" });
  });
});

describe("a change", () => {
  test("marks the queries that show its resource, and no others", () => {
    const changed = shows([change("claim")]);
    expect(changed(["get", "/claims"])).toBe(true);
    expect(changed(["get", "/claims/{id}", { params: {} }])).toBe(true);
    expect(changed(["post", "/claims/search", "rivers"])).toBe(true);
    expect(changed(["get", "/summary"])).toBe(true);
    expect(changed(["get", "/eras"])).toBe(false);
    expect(changed(["get", "/offices"])).toBe(false);
    expect(changed(["picture", 7])).toBe(false);
    expect(changed(["get"])).toBe(false);
  });

  test("of an office concerns who is signed in, for its time zone", () => {
    expect(shows([change("office")])(["get", "/me"])).toBe(true);
  });

  test("is one of several", () => {
    const changed = shows([change("provider"), change("era")]);
    expect(changed(["get", "/providers"])).toBe(true);
    expect(changed(["get", "/quarantine"])).toBe(true);
    expect(shows([])(["get", "/claims"])).toBe(false);
  });
});

test("a broken connection is tried again later each time, and at least every five seconds", () => {
  expect([0, 1, 2, 3, 4, 50].map(pause)).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
});

describe("a query", () => {
  test.each(["the first time", "again"])("that loads %s shows a change", async (when) => {
    const queries = new QueryClient();
    const replies: ((n: number) => void)[] = [];
    const seen: (number | undefined)[] = [];
    const watched = new QueryObserver(queries, {
      queryKey: ["get", "/claims"],
      queryFn: () => new Promise<number>((reply) => replies.push(reply)),
    });
    const leave = watched.subscribe((r) => seen.push(r.data));
    if (when === "again") {
      replies[0]?.(0);
      await expect.poll(() => seen.at(-1)).toBe(0);
      void watched.refetch();
    }
    const asked = replies.length;
    outdate(queries, shows([change("claim")])); // the service replied before, the page has not heard it
    replies[asked - 1]?.(1);
    await expect.poll(() => replies.length).toBe(asked + 1);
    replies.at(-1)?.(2);
    await expect.poll(() => seen.at(-1)).toBe(2);
    leave();
  });
});
