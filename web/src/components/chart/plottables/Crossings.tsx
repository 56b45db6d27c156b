/**
 * Where lines cross: a soft band over the interval of the place, a hairline at it, and what it means above the drawing
 * area. A band that is not bounded reaches to the edge.
 */
import { usePlotArea, useXAxisScale } from "recharts";

/** One place on the horizontal axis at which something changes, with its interval. */
export type CrossingMark = { x: number; from: number | null; to: number | null; label: string };

const ROW_HEIGHT_PX = 16;
const CHARACTER_WIDTH_PX = 6.2;
const BAND_MIN_PX = 3;

/** How high the names of so many crossings are. */
export function crossingsHeight(count: number): number {
  return count * ROW_HEIGHT_PX + 6;
}

export function Crossings({ crossings }: { crossings: CrossingMark[] }) {
  const area = usePlotArea();
  const scale = useXAxisScale();
  if (area === undefined || scale === undefined) return null;
  const right = area.x + area.width;
  const within = (px: number) => Math.min(right, Math.max(area.x, px));
  return (
    <g>
      {crossings.map(({ x, from, to, label }, index) => {
        const at = within(scale(x) ?? area.x);
        const [left, end] = [
          from === null ? area.x : within(scale(from) ?? at),
          to === null ? right : within(scale(to) ?? at),
        ];
        const width = Math.max(BAND_MIN_PX, end - left);
        const top = area.y - 8 - (crossings.length - 1 - index) * ROW_HEIGHT_PX;
        const half = (label.length * CHARACTER_WIDTH_PX) / 2;
        return (
          <g key={`${label} ${x}`}>
            <rect x={left} y={area.y} width={width} height={area.height} fill="var(--interval)" />
            <path d={`M${at},${top + 4}V${area.y + area.height}`} stroke="var(--rule-strong)" />
            <text
              x={Math.min(right - half, Math.max(area.x + half, at))}
              y={top}
              textAnchor="middle"
              style={{ fill: "var(--ink)" }}
            >
              {label}
            </text>
          </g>
        );
      })}
    </g>
  );
}
