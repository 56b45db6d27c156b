/** The names of one or two lines next to a place on each: of two, the left line has its name to the left. */
import { usePlot } from "../usePlot";

type Named = { label: string; ink: string; at: { from: number; to: number; y: number } };

const GAP_PX = 5;
const CHARACTER_PX = 6.4;

const LINE_PX = 15;

export function SideNames({ names }: { names: Named[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, x, y } = plot;
  const placed = names.flatMap(({ label, ink, at }, index) => {
    const [left, end] = [x(at.from), x(at.to)];
    if (end < area.x || left > right) return [];
    const isLeft = names.some(
      (other, place) => place !== index && (at.from - other.at.from || index - place) < 0,
    );
    const width = label.length * CHARACTER_PX + GAP_PX;
    const isStart = isLeft ? left - width < area.x : end + width <= right;
    return [
      { label, ink, isStart, x: isStart ? end + GAP_PX : left - GAP_PX, y: Math.max(area.y + 6, y(at.y)) },
    ];
  });
  return placed.map((name) => {
    const { label, ink, isStart } = name;
    // Names on the same side are below each other, clear of both lines.
    const column = placed.filter((other) => other.isStart === isStart);
    const [xs, ys] = [column.map((other) => other.x), column.map((other) => other.y)];
    return (
      <text
        key={label}
        x={isStart ? Math.max(...xs) : Math.min(...xs)}
        y={Math.min(...ys) + column.indexOf(name) * LINE_PX}
        textAnchor={isStart ? "start" : "end"}
        dominantBaseline="central"
        pointerEvents="none"
        style={{ fill: ink, fontWeight: 600 }}
      >
        {label}
      </text>
    );
  });
}
