/**
 * Names each line at its right end, in place of a legend, moved apart where lines end close together. Where there
 * is only one point and so no line, the names stand beside it.
 */
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { spread } from "../labels";

/** A line's name, the value at which it ends, and its colour. */
export type EndLabel = { label: string; value: number; ink: string; strong?: boolean };

const LINE_HEIGHT_PX = 14;
const DISTANCE_PX = 8;
/** Clears half a box. */
const BOX_DISTANCE_PX = 36;

type Props = { labels: EndLabel[]; beside?: number | undefined };

export function EndLabels({ labels, beside }: Props) {
  const area = usePlotArea();
  const xScale = useXAxisScale();
  const scale = useYAxisScale();
  if (area === undefined || scale === undefined) return null;
  const start =
    beside === undefined ? area.x + area.width + DISTANCE_PX : (xScale?.(beside) ?? 0) + BOX_DISTANCE_PX;
  const wanted = labels.map(({ value }) => scale(value) ?? area.y);
  const placed = spread(wanted, LINE_HEIGHT_PX, area.y, area.y + area.height);
  return (
    <g>
      {labels.map(({ label, ink, strong }, index) => (
        <text
          key={label}
          x={start}
          y={placed[index]}
          dominantBaseline="central"
          style={{ fill: ink, fontWeight: strong === true ? 600 : 400 }}
        >
          {label}
        </text>
      ))}
    </g>
  );
}
