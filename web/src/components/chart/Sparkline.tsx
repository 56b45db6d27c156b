/**
 * A sparkline. Its height covers at least 10 % of the median on each side, so that ordinary noise looks small. A
 * single value is a dot. Marks below are change points: up for slower, down for faster, at the left edge if before the
 * line.
 */
import type { Mark } from "@/lib/history";
import { markPath, rounded, sparkScale } from "./sparklines";

type Props = { values: number[]; marks?: Mark[]; width?: number; height?: number };

const PADDING_PX = 2;

export function Sparkline({ values, marks = [], width = 132, height = 22 }: Props) {
  const points = placed(values, width, height);
  const [first] = points;
  if (first === undefined) return <span style={{ display: "inline-block", width, height }} />;
  return (
    <svg className="sparkline" width={width} height={height} aria-hidden="true">
      {points.length === 1 ? (
        <circle cx={width - PADDING_PX - 2} cy={first.y} r={2} fill="currentcolor" stroke="none" />
      ) : (
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} strokeLinejoin="round" />
      )}
      {marks.map(({ place, from, mark, direction, text }) => (
        <path
          key={`${place} ${mark} ${direction}`}
          className={`change-shape change-shape-${mark} change-shape-${direction}`}
          d={
            place === "before"
              ? `M0,${height + 3}l5,-3v6z`
              : markPath({
                  mark,
                  direction,
                  x: points[place]?.x ?? width,
                  from: points[from]?.x ?? 0,
                  top: height,
                })
          }
        >
          <title>{text}</title>
        </path>
      ))}
    </svg>
  );
}

function placed(values: number[], width: number, height: number): { x: number; y: number }[] {
  const step = (width - 2 * PADDING_PX) / Math.max(1, values.length - 1);
  const y = sparkScale(values, height, PADDING_PX);
  return values.map((value, index) => ({ x: rounded(PADDING_PX + index * step), y: y(value) }));
}
