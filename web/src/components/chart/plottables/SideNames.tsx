/** The names of one or two lines next to a position on each: of two, the left line has its name to the left. */
import { usePlot } from "../usePlot";

type Named = { label: string; ink: string; at: readonly [x: number, y: number] };

const GAP_PX = 8;
const CHARACTER_PX = 6.4;

export function SideNames({ names }: { names: Named[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, x, y } = plot;
  const isWithin = (px: number) => px >= area.x && px <= right;
  return names.map(({ label, ink, at: [atX, atY] }, index) => {
    const px = x(atX);
    if (!isWithin(px)) return null;
    const others = names.filter((_, place) => place !== index);
    const isLeft = others.some(({ at: [other] }, place) => atX < other || (atX === other && place >= index));
    const width = label.length * CHARACTER_PX + GAP_PX;
    const isStart = isLeft ? px - width < area.x : px + width <= right;
    return (
      <text
        key={label}
        x={isStart ? px + GAP_PX : px - GAP_PX}
        y={Math.max(area.y + 6, y(atY))}
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
