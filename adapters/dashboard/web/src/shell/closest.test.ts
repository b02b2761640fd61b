import { expect, test } from "vitest";
import { closest } from "./closest";

test.each([
  ["lopez gar", ["Mary Ann Garcia-Lopez", "Lopezia Garciano", "Lopeza Garner"]],
  ["LOPÉZ", ["Mary Ann Garcia-Lopez", "Lopezia Garciano", "Lopeza Garner"]],
  ["garner", ["Lopeza Garner", "Lopezia Garciano", "Mary Ann Garcia-Lopez"]],
  ["lop", ["Lopezia Garciano", "Lopeza Garner", "Mary Ann Garcia-Lopez"]],
])("%s finds whole words first, and else keeps the order", (typed, labels) => {
  const found = ["Lopezia Garciano", "Lopeza Garner", "Mary Ann Garcia-Lopez"];
  expect(
    closest(
      typed,
      found.map((label) => ({ label })),
    ).map((i) => i.label),
  ).toEqual(labels);
});
