import type { ReactNode } from "react";

/** Scrolled shows a long text that scrolls in its own box. The keyboard reaches it. */
export function Scrolled({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused box scrolls by the arrow keys
    <pre role="region" aria-label={label} tabIndex={0} className={className}>
      {children}
    </pre>
  );
}
