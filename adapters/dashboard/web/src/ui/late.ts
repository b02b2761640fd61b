import { useEffect, useState } from "react";

/** useLate returns a text once it has not changed for a moment. */
export function useLate(text: string, wait: number): string {
  const [late, setLate] = useState(text);
  // The clock is outside React.
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), wait);
    return () => clearTimeout(timer);
  }, [text, wait]);
  return late;
}
