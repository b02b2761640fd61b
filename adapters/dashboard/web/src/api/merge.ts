// Two people change one resource: what a person typed stays, and the rest is what the other one saved.

const same = (a: unknown, b: unknown): boolean => plain(a) === plain(b);

/** plain is a value of a form without the keys that React needs. */
const plain = (v: unknown) =>
  JSON.stringify(v, (name, part: unknown) => (name === "key" ? undefined : part));

const isObject = (v: unknown): v is Record<string, unknown> =>
  typeof v === "object" && v !== null && !Array.isArray(v);

/** merge returns a form of what is there now, with what a person typed since the form was begun. */
export function merge<T>(begun: T, typed: T, now: T): T {
  if (same(typed, begun)) return now;
  if (!isObject(begun) || !isObject(typed) || !isObject(now)) return typed;
  return Object.fromEntries(
    Object.keys(typed).map((name) => [name, merge(begun[name], typed[name], now[name])]),
  ) as T;
}
