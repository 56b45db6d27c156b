/** The newest distribution of a series, with that of the commit before it in grey behind it. */
import { RIDGE, type Ridge, ridgePaths } from "./ridges";

export function RidgeGlyph({ ridges }: { ridges: readonly Ridge[] }) {
  const [newest, before] = ridgePaths(ridges).reverse();
  if (newest === undefined) return null;
  const name = ridges.map(({ ordinal }) => `#${ordinal}`).reverse();
  return (
    <svg
      className="ridge-glyph"
      width={RIDGE.width}
      height={RIDGE.height}
      role="img"
      aria-label={`Distribution at ${name.join(" and ")}`}
    >
      {before !== undefined && <path className="ridge-before" d={before} />}
      <path className="ridge-newest" d={newest} />
    </svg>
  );
}
