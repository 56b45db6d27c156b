/** Labels at the right ends of lines, moved apart if needed; next to the point if a line has only one. */
import { spread } from "../labels";
import { usePlot } from "../usePlot";

type EndLabel = {
  label: string;
  value: number;
  ink: string;
  strong?: boolean;
  isFaded?: boolean;
  /** The end of the line, if before the others: a leader connects it to its label. */
  end?: number;
};

const LINE_HEIGHT_PX = 14;
const DISTANCE_PX = 8;
/** Distance for half a box. */
const BOX_DISTANCE_PX = 36;

type Props = {
  labels: EndLabel[];
  nextTo?: number | undefined;
  /** Handlers for labels; the page must have equivalent buttons. */
  onPoint?: ((label: string | null) => void) | undefined;
  onPick?: ((label: string) => void) | undefined;
};

export function EndLabels({ labels, nextTo, onPoint, onPick }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x, y } = plot;
  const start = nextTo === undefined ? right + DISTANCE_PX : x(nextTo) + BOX_DISTANCE_PX;
  const ends = labels.map(({ value }) => y(value));
  const placed = spread(ends, LINE_HEIGHT_PX, area.y, bottom);
  return (
    <g>
      {labels.map(({ label, ink, isFaded, end }, index) => {
        if (end === undefined || isFaded === true) return null;
        return (
          <path
            key={label}
            d={`M${x(end) + DISTANCE_PX},${ends[index]}H${start - DISTANCE_PX}L${start - 2},${placed[index]}`}
            stroke={ink}
            strokeOpacity={0.45}
            strokeWidth={0.75}
            strokeDasharray="1 4"
            fill="none"
          />
        );
      })}
      {labels.map(({ label, ink, strong, isFaded }, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the same action is a button above the chart.
        <text
          key={label}
          x={start}
          y={placed[index]}
          dominantBaseline="central"
          opacity={isFaded === true ? 0.3 : 1}
          style={{
            fill: ink,
            fontWeight: strong === true ? 600 : 400,
            ...(onPick === undefined ? {} : { cursor: "pointer" }),
          }}
          onPointerEnter={() => onPoint?.(label)}
          onPointerLeave={() => onPoint?.(null)}
          onClick={() => onPick?.(label)}
        >
          {label}
        </text>
      ))}
    </g>
  );
}
