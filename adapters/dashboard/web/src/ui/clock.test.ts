import { describe, expect, test } from "vitest";
import { instant, type Shown, stands, timeOf } from "./clock";

const clock = (running: boolean, state: "ready" | "advancing" = "ready"): NonNullable<Shown> => ({
  now: "2026-12-10T12:00:00.000000+00:00",
  real_now: "2026-11-26T12:00:00.000000+00:00",
  running,
  state,
});
const real = Date.parse("2026-11-26T12:05:00Z"); // five minutes after it was read

describe("the time of a clock", () => {
  test.each([
    ["none", null, "2026-11-26T12:05:00.000Z"],
    ["one that runs", clock(true), "2026-12-10T12:05:00.000Z"],
    ["one that stands", clock(false), "2026-12-10T12:00:00.000Z"],
    ["one that will run on", clock(true, "advancing"), "2026-12-10T12:00:00.000Z"],
  ])("%s", (_, shown, want) => {
    expect(new Date(timeOf(shown, real)).toISOString()).toBe(want);
  });

  test("an advance stands", () => {
    expect(stands(clock(true))).toBe(false);
    expect(stands(clock(true, "advancing"))).toBe(true);
  });

  test("in full, it is that of the office", () => {
    expect(instant(Date.parse("2026-12-03T21:05:00Z"), "America/New_York")).toBe(
      "December 3, 2026 at 4:05 PM",
    );
  });
});

// What reads the device's clock shows or measures real time. Everything else asks useNow or useToday.
test("few modules read the device's clock", () => {
  const all = import.meta.glob<string>("../**/*.{ts,tsx}", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const found = Object.keys(all).filter(
    (path) => !path.endsWith(".test.ts") && /Date\.now\(\)|new Date\(\)/.test(all[path] ?? ""),
  );
  expect(found.sort()).toEqual([
    "../api/client.ts", // when a person last did something
    "../screens/developers/deliveries.tsx", // the oldest delivery that is kept
    "../screens/developers/frame.tsx", // the filter of the request log
    "../screens/developers/keys.tsx", // whether a key expired
    "../screens/developers/overview.tsx", // refused requests
    "../shell/load.tsx", // when the page was last loaded
    "../shell/shell.tsx", // the time in the bar
    "./clock.ts",
    "./format.tsx", // how long ago something was in real time
  ]);
});
