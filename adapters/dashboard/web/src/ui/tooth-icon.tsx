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
      <path d="M8 3.500c1.600-.3 2.700.7 4 .7s2.400-1 4-.7c2.300.500 3.300 2.700 2.900 5.200-.3 2-1.300 3.100-1.600 5.100-.4 2.200-.6 6.700-2.200 6.700-2 0-1.300-5.300-3.100-5.300s-1.100 5.300-3.100 5.300c-1.600 0-1.800-4.500-2.200-6.700-.3-2-1.300-3.100-1.600-5.100C4.700 6.200 5.700 4 8 3.500z" />
    </svg>
  );
}
