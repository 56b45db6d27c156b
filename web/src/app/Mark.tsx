/** The product's mark: there and back. */

export function Mark() {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M2 5.5h11M10.5 3L13 5.5 10.5 8" />
      <path d="M14 10.5H3M5.5 8L3 10.5 5.5 13" />
    </svg>
  );
}
