import { describe, expect, test } from "vitest";
import {
  ago,
  cents,
  dateIn,
  day,
  daysAfter,
  dollars,
  lasts,
  midnight,
  name,
  printable,
  sum,
  words,
} from "./format";
import { count, plural } from "./plural";

describe("amounts", () => {
  test.each([
    ["0.00", "$0.00"],
    ["1250.00", "$1,250.00"],
    ["-1250.50", "−$1,250.50"],
    ["999.99", "$999.99"],
    ["1000000.00", "$1,000,000.00"],
    ["12", "$12.00"],
  ])("%s is %s", (amount, shown) => {
    expect(dollars(amount)).toBe(shown);
  });

  test("amounts add up to the cent, and missing ones are nothing", () => {
    expect(sum(["0.10", "0.20", null, undefined, "-0.05"])).toBe("0.25");
    expect(sum([])).toBe("0.00");
  });

  test("cents are exact where a product of floats is not", () => {
    expect(cents("1.15")).toBe(115); // 1.15 * 100 is 114.99999999999999
    expect(cents("-0.29")).toBe(-29);
    expect(cents("99999999.99")).toBe(9_999_999_999);
  });
});

describe("dates", () => {
  test("a date has no time zone", () => {
    expect(day("2026-01-09")).toBe("Jan 9, 2026");
    expect(day("2026-12-31")).toBe("Dec 31, 2026");
  });

  test("days after a date cross months, leap days and the change of the clock", () => {
    expect(daysAfter("2026-01-31", 1)).toBe("2026-02-01");
    expect(daysAfter("2028-02-28", 1)).toBe("2028-02-29");
    expect(daysAfter("2026-03-08", 1)).toBe("2026-03-09"); // the clock changes in New York
    expect(daysAfter("2026-01-01", -1)).toBe("2025-12-31");
  });

  test("the date of a moment is that of the office", () => {
    const at = new Date("2026-01-10T03:30:00Z");
    expect(dateIn("America/New_York", at)).toBe("2026-01-09");
    expect(dateIn("UTC", at)).toBe("2026-01-10");
    expect(dateIn("Pacific/Honolulu", at)).toBe("2026-01-09");
  });

  test.each([
    ["2026-01-09", "America/New_York", "2026-01-09T05:00:00.000Z"],
    ["2026-07-09", "America/New_York", "2026-07-09T04:00:00.000Z"],
    ["2026-01-09", "Pacific/Honolulu", "2026-01-09T10:00:00.000Z"],
    ["2026-01-09", "UTC", "2026-01-09T00:00:00.000Z"],
    ["0002-11-26", "America/New_York", "0002-11-26T04:56:02.000Z"], // while 2026 is typed
  ])("%s begins in %s at %s", (date, zone, want) => {
    expect(midnight(date, zone)).toBe(want);
    expect(dateIn(zone, new Date(midnight(date, zone)))).toBe(date);
  });

  const now = Date.parse("2026-01-09T12:00:00Z");
  test.each([
    [-59, "just now"],
    [59, "in seconds"],
    [-60, "1 minute ago"],
    [-119, "1 minute ago"],
    [-3_600, "1 hour ago"],
    [-86_400, "yesterday"],
    [-2 * 86_400, "2 days ago"],
    [90, "in 1 minute"],
    [86_400, "tomorrow"],
    [-7 * 86_400, "Jan 2, 2026"],
    [30 * 86_400, "Feb 8, 2026"],
  ])("%d seconds from now is %s", (seconds, want) => {
    expect(ago(new Date(now + seconds * 1000), "UTC", now)).toBe(want);
  });
  test("what lasts has the word since before a day alone", () => {
    expect(lasts(new Date(now - 23 * 3_600_000), "UTC", now)).toBe("23 hours ago");
    expect(lasts(new Date(now - 7 * 86_400_000), "UTC", now)).toBe("since Jan 2, 2026");
  });
});

describe("words", () => {
  test("plurals", () => {
    expect(count(1, "claim")).toBe("1 claim");
    expect(count(0, "claim")).toBe("0 claims");
    expect(count(12_345, "claim")).toBe("12,345 claims");
    expect(count(2, "delivery", "deliveries")).toBe("2 deliveries");
    expect(plural(1, "is", "are")).toBe("is");
    expect(plural(21, "is", "are")).toBe("are");
  });

  test("names leave out what is missing", () => {
    expect(name({ first_name: "Rosa", last_name: "Rivers" })).toBe("Rosa Rivers");
    const whole = { first_name: "Sam", middle_name: "A", last_name: "Nolan", suffix: "JR" };
    expect(name(whole)).toBe("Sam A Nolan JR");
    expect(name({ first_name: null, last_name: null })).toBe("No name");
    expect(name(undefined)).toBe("No name");
  });

  test("codes", () => {
    expect(words("needs_attention")).toBe("Needs attention");
    expect(words("")).toBe("");
  });

  test("no character of a payer is invisible, or reorders the text", () => {
    expect(printable("Eve\u001b[2J")).toBe("Eve␛[2J");
    expect(printable("a\u0000b\nc")).toBe("a␀b␊c");
    expect(printable("\u202egnp.exe\u200b\ufeff\u0085")).toBe("\ufffdgnp.exe\ufffd\ufffd\ufffd");
    expect(printable("Zoë – 𝒳 שלום")).toBe("Zoë – 𝒳 שלום");
  });
});
