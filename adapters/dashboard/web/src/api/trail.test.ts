import { expect, test } from "vitest";
import { lastOf, searchOf } from "./trail";

test("the last list before the page is found, with its filters", () => {
  const way = [
    "/test/claims",
    "/test/claims?state=paid",
    "/test/claims/clm_1",
    null,
    "/test/claims",
  ];
  expect(lastOf(way, 2, "/test/claims")).toBe(1);
  expect(lastOf(way, 4, "/test/claims")).toBe(1);
  expect(lastOf(way, 9, "/test/claims")).toBe(4);
  expect(lastOf(way, 1, "/test/claims")).toBe(0);
});

test("a page that was opened by its address has no list behind it", () => {
  expect(lastOf(["/test/claims/clm_1"], 0, "/test/claims")).toBe(-1);
  expect(lastOf(["/test/claimsclaims", "/live/claims"], 2, "/test/claims")).toBe(-1);
});

test("the filters of an address end before its fragment", () => {
  expect(searchOf("/test/claims?state=paid&order=asc#main")).toBe("?state=paid&order=asc");
  expect(searchOf("/test/claims")).toBe("");
});
