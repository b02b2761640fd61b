// Where the test clock is opened from.
import { createContext, useContext } from "react";

export const OpenClockContext = createContext<(() => void) | null>(null);

/** useOpenClock returns a function that opens the test clock; null for those who may not move it, and in live mode. */
export function useOpenClock(): (() => void) | null {
  return useContext(OpenClockContext);
}
