/** Labels at the right ends of lines, moved apart if needed; next to the point if a line has only one. */
import { spread } from "../labels";
import { type Marker, markerPath } from "../lines";
import { usePlot } from "../usePlot";

type EndLabel = {
  label: string;
  value: number;
  ink: string;
  /** The mark of its line before the label, with a connector if the label was moved. */
  mark?: { stroke: string; marker: Marker };
  strong?: boolean;
  isFaded?: boolean;
  /** The end of the line, if before the others: a dotted connector leads to its label. */
  end?: number;
};

export const LABEL_HEIGHT_PX = 14;
const DISTANCE_PX = 8;
/** Distance for half a box. */
const BOX_DISTANCE_PX = 36;
/** Distance for connectors. */
const MARKED_DISTANCE_PX = 22;
const MARK_WIDTH_PX = 10;
const MARK_RADIUS_PX = 2.75;
/** Room that marks and connectors need besides labels. */
export const MARKS_PX = MARKED_DISTANCE_PX - DISTANCE_PX + MARK_WIDTH_PX;

type Props = {
  labels: EndLabel[];
  nextTo?: number | undefined;
  onPoint?: ((label: string | null) => void) | undefined;
  /** A click on a label; the page must have equivalent buttons. */
  onPick?: ((label: string) => void) | undefined;
};

export function EndLabels({ labels, nextTo, onPoint, onPick }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, bottom, x, y } = plot;
  const distance = labels.some(({ mark }) => mark !== undefined) ? MARKED_DISTANCE_PX : DISTANCE_PX;
  const start = nextTo === undefined ? right + distance : x(nextTo) + BOX_DISTANCE_PX;
  const ends = labels.map(({ value }) => y(value));
  const placed = spread(ends, LABEL_HEIGHT_PX, area.y, bottom);
  return (
    <g>
      {labels.map(({ label, ink, mark, isFaded, end }, index) => {
        if (isFaded === true || (end === undefined && mark === undefined)) return null;
        const from = end === undefined ? right : x(end) + DISTANCE_PX;
        return (
          <path
            key={label}
            d={`M${from},${ends[index]}H${right}L${start - 2},${placed[index]}`}
            stroke={mark?.stroke ?? ink}
            strokeOpacity={0.45}
            strokeWidth={0.75}
            strokeDasharray={end === undefined ? "" : "1 4"}
            fill="none"
          />
        );
      })}
      {labels.map(({ label, ink, mark, strong, isFaded }, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the same action is a button above the chart.
        <g
          key={label}
          opacity={isFaded === true ? 0.3 : 1}
          style={onPick === undefined ? {} : { cursor: "pointer" }}
          onPointerEnter={() => onPoint?.(label)}
          onPointerLeave={() => onPoint?.(null)}
          onClick={() => onPick?.(label)}
        >
          {mark !== undefined && (
            <path
              d={markerPath(mark.marker, start + 3, placed[index] ?? 0, MARK_RADIUS_PX)}
              fill={mark.stroke}
            />
          )}
          <text
            x={mark === undefined ? start : start + MARK_WIDTH_PX}
            y={placed[index]}
            dominantBaseline="central"
            style={{ fill: ink, fontWeight: strong === true ? 600 : 400 }}
          >
            {label}
          </text>
        </g>
      ))}
    </g>
  );
}
