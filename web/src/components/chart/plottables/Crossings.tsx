/** Marks on the horizontal axis, with names above the drawing area. */
import { rowsOfMarkers } from "../labels";
import { usePlot } from "../usePlot";

/** One mark on the horizontal axis, with its interval. */
export type CrossingMark = { x: number; from: number | null; to: number | null; label: string };

const ROW_HEIGHT_PX = 16;
const CHARACTER_WIDTH_PX = 6.4;
const BAND_MIN_PX = 3;

export function crossingsHeight(count: number): number {
  return count * ROW_HEIGHT_PX + 6;
}

/** Crossovers: a band over the interval, and a line. Unbounded bands reach the edge. */
export function Crossings({ crossings }: { crossings: CrossingMark[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x: scale } = plot;
  const within = (px: number) => Math.min(right, Math.max(area.x, px));
  return crossings.map(({ x, from, to, label }, index) => {
    const at = within(scale(x));
    const left = from === null ? area.x : within(scale(from));
    const width = Math.max(BAND_MIN_PX, (to === null ? right : within(scale(to))) - left);
    const top = area.y - 8 - (crossings.length - 1 - index) * ROW_HEIGHT_PX;
    const half = (label.length * CHARACTER_WIDTH_PX) / 2;
    return (
      <g key={`${label} ${x}`}>
        <rect x={left} y={area.y} width={width} height={area.height} fill="var(--interval)" />
        <path d={`M${at},${top + 4}V${bottom}`} stroke="var(--rule-strong)" />
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
  });
}

export type Marker = { label: string; x: number };

/** Overhang allowed for names. */
const MARGIN_PX = 44;

/** Vertical marks, with names in rows that avoid other marks. */
export function Markers({ markers }: { markers: Marker[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x } = plot;
  const placed = markers.map(({ label, x: at }) => ({
    label,
    at: x(at),
    width: label.length * CHARACTER_WIDTH_PX,
  }));
  const rows = rowsOfMarkers(
    placed.map(({ at }) => at),
    placed.map(({ width }) => width),
  );
  return placed.map(({ label, at, width }, index) => {
    const top = area.y - 6 - (rows[index] ?? 0) * ROW_HEIGHT_PX;
    return (
      <g key={label}>
        <path d={`M${at},${top - 9}V${bottom}`} stroke="var(--muted)" strokeDasharray="2 2" />
        <text x={Math.min(at + 4, right + MARGIN_PX - width)} y={top} style={{ fill: "var(--ink)" }}>
          {label}
        </text>
      </g>
    );
  });
}
