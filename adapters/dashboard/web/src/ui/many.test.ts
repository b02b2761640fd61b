import { expect, test } from "vitest";
import { between, Left, type Outcome, patiently, perform, tally } from "./many";

const done: Outcome = { state: "done", says: "Done." };

test("each row has its outcome, and at most a few are sent at a time", async () => {
  let now = 0;
  let most = 0;
  const heard = new Map<number, string[]>();
  await perform(
    [1, 2, 3, 4, 5, 6, 7],
    3,
    async (n) => {
      most = Math.max(most, ++now);
      await new Promise((rest) => setTimeout(rest));
      now--;
      return n === 4 ? { state: "failed", says: "The payer is gone." } : done;
    },
    (n, o) => heard.set(n, [...(heard.get(n) ?? []), o.state]),
    () => false,
  );
  expect(most).toBe(3);
  expect(heard.size).toBe(7);
  expect(heard.get(4)).toEqual(["sent", "failed"]);
  expect(heard.get(7)).toEqual(["sent", "done"]);
});

test("what has not begun when a person stops is left, and what has begun ends", async () => {
  const heard = new Map<number, Outcome>();
  let stopped = false;
  await perform(
    [1, 2, 3],
    1,
    async () => {
      stopped = true;
      return done;
    },
    (n, o) => heard.set(n, o),
    () => stopped,
  );
  expect([...heard.values()].map((o) => o.state)).toEqual(["done", "left", "left"]);
  expect(heard.get(3)?.says).toBe("Stopped before it began.");
});

test("a request is sent again until it is answered, and a refusal ends it", async () => {
  const waits: number[] = [];
  let tries = 0;
  const wait = async (n: number) => void waits.push(n);
  const reply = await patiently(
    async () => {
      if (++tries < 3) throw new Error("away");
      return "posted";
    },
    (e) => (e as Error).message === "away",
    wait,
  );
  expect([reply, tries, waits]).toEqual(["posted", 3, [1, 2]]);
  const refused = patiently(
    () => Promise.reject(new Left("It is held.")),
    (e) => !(e instanceof Left),
    wait,
  );
  await expect(refused).rejects.toThrow("It is held.");
});

test("the tally names only what there is", () => {
  const of = (...states: Outcome["state"][]) =>
    states.map((state): Outcome => ({ state, says: "" }));
  expect(tally(of("done", "done"), "posted")).toBe("2 of 2 posted");
  expect(tally(of("done", "failed", "left", "waiting"), "posted")).toBe(
    "1 of 4 posted, 1 failed, 1 left as it is",
  );
  expect(tally(of("left", "left"), "sent")).toBe("0 of 2 sent, 2 left as they are");
});

test("a range has both its ends, in the order of the list", () => {
  const ids = ["a", "b", "c", "d"];
  expect(between(ids, "b", "d")).toEqual(["b", "c", "d"]);
  expect(between(ids, "d", "b")).toEqual(["b", "c", "d"]);
  expect(between(ids, "gone", "b")).toEqual(["b"]);
});
