import { describe, expect, test } from "vitest";
import { format, parse, readSearch } from "./searches";

const read = (search: string) => readSearch("/claims", parse(search));

describe("an address", () => {
  test("has the filters that it was made of", () => {
    const filters = {
      kind: "claim",
      state: ["queued", "submitted"],
      open: true,
      overpaid: false,
      created_after: "2026-01-09T05:00:00Z",
    } as const;
    const address = format(filters);
    expect(address).toContain("state=queued&state=submitted");
    expect(read(address)).toEqual(filters);
  });

  test("is the same for one state as the API writes it", () => {
    expect(format({ state: ["rejected"] })).toBe("?state=rejected");
    expect(read("?state=rejected")).toEqual({ state: ["rejected"] });
  });

  test("without filters is bare", () => {
    expect(format({ state: undefined, open: undefined })).toBe("");
    expect(format({ state: [] })).toBe("");
    expect(read("")).toEqual({});
  });

  test("keeps what looks like another kind of value as text", () => {
    expect(parse("?a=1&b=true&c=null&d=%7B%7D")).toEqual({ a: "1", b: "true", c: "null", d: "{}" });
    expect(readSearch("/remittances", parse("?trace_number=0012"))).toEqual({
      trace_number: "0012",
    });
  });

  test("escapes what would end a value", () => {
    const operation = "GET /claims?x=1&y=2#z";
    expect(readSearch("/developers/requests", parse(format({ operation })))).toEqual({ operation });
  });
});

describe("a search", () => {
  test("drops names that the screen does not have", () => {
    expect(read("?stat=paid&limit=500&cursor=x&__proto__=y&patient_id=pat_1")).toEqual({
      patient_id: "pat_1",
    });
  });

  test("drops empty values, and flags and numbers that are none", () => {
    expect(read("?office_id=&open=yes&overpaid=true")).toEqual({ overpaid: true });
    expect(readSearch("/developers/requests", parse("?status=abc"))).toEqual({});
    expect(readSearch("/developers/requests", parse("?status=422"))).toEqual({ status: 422 });
  });

  test("takes the first of several values of a single one", () => {
    expect(read("?kind=claim&kind=predetermination")).toEqual({ kind: "claim" });
  });

  test("reads values that are in their form already", () => {
    expect(readSearch("/remittances", { needs_attention: false, state: "any" })).toEqual({
      needs_attention: false,
      state: "any",
    });
  });

  test("of a screen without parameters is empty", () => {
    expect(readSearch("/settings" as "/claims", parse("?state=paid"))).toEqual({});
  });
});
