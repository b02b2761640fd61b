import { useEffect } from "react";

/** useTitle names the page in the browser's tab. */
export function useTitle(title: string): void {
  // The document's title is outside React.
  useEffect(() => {
    document.title = `${title} · Molar`;
  }, [title]);
}
