/** Vertical marks with names above the drawing area, in as many rows as keep the names clear of other marks. */
import { usePlotArea, useXAxisScale } from "recharts";
import { rowsOfMarkers } from "../labels";

/** A named position on the horizontal axis. */
export type Marker = { label: string; x: number };

const ROW_HEIGHT_PX = 16;
const CHARACTER_WIDTH_PX = 6.4;
/** Names may reach this far beyond the drawing area. */
const MARGIN_PX = 44;

export function Markers({ markers }: { markers: Marker[] }) {
  const area = usePlotArea();
  const scale = useXAxisScale();
  if (area === undefined || scale === undefined) return null;
  const positions = markers.map(({ x }) => scale(x) ?? area.x);
  const widths = markers.map(({ label }) => label.length * CHARACTER_WIDTH_PX);
  const end = area.x + area.width + MARGIN_PX;
  const rows = rowsOfMarkers(positions, widths);
  return (
    <g>
      {markers.map(({ label }, index) => {
        const at = positions[index] ?? 0;
        const top = area.y - 6 - (rows[index] ?? 0) * ROW_HEIGHT_PX;
        return (
          <g key={label}>
            <path
              d={`M${at},${top - 9}V${area.y + area.height}`}
              stroke="var(--muted)"
              strokeDasharray="2 2"
            />
            <text x={Math.min(at + 4, end - (widths[index] ?? 0))} y={top} style={{ fill: "var(--ink)" }}>
              {label}
            </text>
          </g>
        );
      })}
    </g>
  );
}
