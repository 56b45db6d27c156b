/** Inline lines on a fixed axis: each value relative to the median of its line, clamped to the axis. */

type Props = { lines: number[][]; width?: number; height?: number };

/** Half of the axis range around the median. */
const RELATIVE_REACH = 0.1;

export function RelativeLines({ lines, width = 132, height = 22 }: Props) {
  return (
    <svg className="sparkline relative-lines" width={width} height={height} aria-hidden="true">
      {lines.map((values, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity.
        <polyline key={index} points={placed(values, width, height)} strokeLinejoin="round" />
      ))}
    </svg>
  );
}

function placed(values: number[], width: number, height: number): string {
  const step = width / Math.max(1, values.length - 1);
  return values
    .map((value, index) => {
      const off = Math.max(-RELATIVE_REACH, Math.min(RELATIVE_REACH, value - 1));
      return `${(index * step).toFixed(1)},${((1 - off / RELATIVE_REACH) * (height / 2)).toFixed(1)}`;
    })
    .join(" ");
}
