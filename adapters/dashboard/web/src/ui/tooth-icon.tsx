/** ToothIcon is a small tooth. */
export function ToothIcon({ size = 18 }: { size?: number }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinejoin="round"
      aria-hidden
    >
      <path
        d="M8 3.5c1.6-.3 2.7.7 4 .7s2.4-1 4-.7c2.3.5 3.3 2.7 2.9 5.2-.3 2-1.3 3.1-1.6 5.1
        -.4 2.2-.6 6.7-2.2 6.7-2 0-1.3-5.3-3.1-5.3s-1.1 5.3-3.1 5.3c-1.6 0-1.8-4.5-2.2-6.7
        -.3-2-1.3-3.1-1.6-5.1C4.7 6.2 5.7 4 8 3.5z"
      />
    </svg>
  );
}
