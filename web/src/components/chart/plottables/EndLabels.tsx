/**
 * Names each line at its right end, in place of a legend, moved apart where lines end close together. Where there
 * is only one point and so no line, the names stand beside it.
 */
import { spread } from "../labels";
import { usePlot } from "../usePlot";

type EndLabel = {
  label: string;
  value: number;
  ink: string;
  strong?: boolean;
  isFaded?: boolean;
  /** Where the line ends, if it is before the others: a thread leads from there to its name. */
  end?: number;
};

const LINE_HEIGHT_PX = 14;
const DISTANCE_PX = 8;
/** Clears half a box. */
const BOX_DISTANCE_PX = 36;

type Props = {
  labels: EndLabel[];
  beside?: number | undefined;
  /** What pointing at a name and clicking it does; a page that has it can do the same by keyboard elsewhere. */
  onPoint?: ((label: string | null) => void) | undefined;
  onPick?: ((label: string) => void) | undefined;
};

export function EndLabels({ labels, beside, onPoint, onPick }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x, y } = plot;
  const start = beside === undefined ? right + DISTANCE_PX : x(beside) + BOX_DISTANCE_PX;
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
        // biome-ignore lint/a11y/noStaticElementInteractions: a picture's part; the same is a button above it.
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
