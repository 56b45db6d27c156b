/** The newest distribution of a series, with that of the commit before it in grey behind it. */
import { RIDGE, type Ridge, ridgePaths } from "./ridges";

export function RidgeGlyph({ ridges }: { ridges: readonly Ridge[] }) {
  const newest = ridges.at(-1);
  if (newest === undefined) return null;
  const [first = "", second] = ridgePaths(ridges);
  const before = second === undefined ? undefined : first;
  const name = [newest, ...ridges.slice(0, -1)].map(({ ordinal }) => `#${ordinal}`).join(" and ");
  return (
    <svg
      className="ridge-glyph"
      width={RIDGE.width}
      height={RIDGE.height}
      role="img"
      aria-label={`Distribution at ${name}`}
    >
      {before !== undefined && <path className="ridge-before" d={before} />}
      <path className="ridge-newest" d={second ?? first} />
    </svg>
  );
}
