// What time it is. In test mode an organization moves the clock of its business; keys, sessions, requests and the
// audit have real time, as they do in the service.
import { createContext, useContext } from "react";
import type { Schemas } from "../api/client";

/** Shown is a clock that does not show real time; null for one that does. */
export type Shown = Schemas["Me"]["clock"];

/** ClockContext is the clock of the organization. */
export const ClockContext = createContext<Shown>(null);

/** stands reports whether a clock shows one instant until it is moved. */
export function stands(clock: NonNullable<Shown>): boolean {
  return !clock.running || clock.state !== "ready";
}

/** timeOf returns what a clock shows at a real time. Times are milliseconds since 1970. */
export function timeOf(clock: Shown, real: number): number {
  if (!clock) return real;
  const now = Date.parse(clock.now);
  return stands(clock) ? now : real + now - Date.parse(clock.real_now);
}

/** useNow returns a function that returns the time of the business. */
export function useNow(): () => number {
  const clock = useContext(ClockContext);
  return () => timeOf(clock, Date.now());
}

/** instant returns a time in full, such as December 3, 2026, 4:05 PM. */
export function instant(at: number, zone: string): string {
  return new Date(at).toLocaleString("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });
}

/** moment returns a time in a few words. */
export function moment(at: string, zone: string): string {
  return new Date(at).toLocaleString("en-US", {
    timeZone: zone,
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });
}
