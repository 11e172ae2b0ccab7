/** The sign of the product, as in `icon.svg`; in the page, which costs no request. */
export const Leaf = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#14633f" />
    <path
      d="M16 27V15m0 4-5-4m5 1 5-4M9 27v-9m14 9V17"
      stroke="#fff"
      strokeWidth="2.4"
      strokeLinecap="round"
      fill="none"
    />
    <path d="M5 14a11 8 0 0 1 22 0z" fill="#fff" />
  </svg>
)
