import { expect, test } from "vitest";
import { before, first } from "./first";

const of = (...ids: string[]) => ids.map((id) => ({ id }));
const ids = (all: { id: string }[]) => all.map(({ id }) => id).join(" ");

test("what is used comes first, once, and five stay", () => {
  expect(ids(before({ id: "c" }, of("a", "b", "c")))).toBe("c a b");
  expect(ids(before({ id: "x" }, of("a", "b", "c", "d", "e")))).toBe("x a b c d");
});

test.each([
  [["b", "z"], ["a", "b", "c"], false, "b z a c"],
  [["b", "z"], ["a", "b", "c"], true, "b a c"], // z was used, and does not match the search
  [[], ["a"], false, "a"],
])("of %j used and %j found, searched %s", (used, found, searched, order) => {
  expect(ids(first(of(...used), of(...found), searched))).toBe(order);
});
