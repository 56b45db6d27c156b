/** Time by number of members, both logarithmic; all panels of a page share the axes. Oversubscribed points are open. */
import { ascending } from "@/lib/collections";
import { formatDividedNs } from "@/lib/units";
import { lineStyle } from "./lines";
import { LATENCY, logAxis } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { Curves } from "./plottables/Curves";
import { Dots } from "./plottables/Dots";
import { TooltipBox } from "./Tooltip";
import { usePlot } from "./usePlot";

type ScalingLine = {
  key: string;
  label: string;
  look: number;
  points: { members: number; time_ns: number; isOversubscribed: boolean }[];
};

type Props = {
  name: string;
  lines: ScalingLine[];
  /** Over all panels. */
  members: number[];
  times_ns: number[];
  /** Reference line: constant cost. */
  flat_ns: number | null;
  /** The noun for members: `receivers`. */
  noun: string;
  emphasised: string | null;
};

const PADDING_PX = 12;

export function ScalingChart({ name, lines, members, times_ns, flat_ns, noun, emphasised }: Props) {
  const drawn = lines.map(({ key, label, look, points }) => ({
    key,
    label,
    style: lineStyle(look),
    radius: 2.75,
    isFaded: emphasised !== null && emphasised !== key,
    points: points
      .map(({ members: x, time_ns: y, isOversubscribed }) => ({
        x,
        y,
        apart: isOversubscribed ? ("oversubscribed" as const) : null,
      }))
      .sort((one, other) => ascending(one.x, other.x)),
  }));
  const curves = drawn.map(({ style, points, ...line }) => ({
    ...line,
    ...style,
    width: 1.5,
    points: points.map(({ x, y }) => [x, y] as const),
  }));
  return (
    <PointedPlot
      name={name}
      stops={members}
      curves={curves}
      tooltip={(x) => <ScalingTooltip lines={lines} members={x} noun={noun} />}
      height_px={260}
      top_px={10}
      right_px={12}
      x={{
        domain: [Math.min(...members), Math.max(...members)],
        ticks: members,
        label: String,
        isLogarithmic: true,
        padding_px: PADDING_PX,
      }}
      y={{ ...logAxis(LATENCY, times_ns), padding_px: PADDING_PX / 2 }}
    >
      {flat_ns !== null && <Level value={flat_ns} />}
      <Curves curves={curves} />
      <Dots lines={drawn} />
    </PointedPlot>
  );
}

function Level({ value }: { value: number }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, y } = plot;
  return <path d={`M${area.x},${y(value)}h${area.width}`} stroke="var(--muted)" strokeDasharray="1 4" />;
}

function ScalingTooltip({ lines, members, noun }: Pick<Props, "lines" | "noun"> & { members: number }) {
  const here = lines
    .flatMap(({ label, points }) =>
      points.filter((point) => point.members === members).map((point) => ({ label, ...point })),
    )
    .sort((a, b) => ascending(a.time_ns, b.time_ns));
  if (here.length === 0) return null;
  const isOpen = here.some(({ isOversubscribed }) => isOversubscribed);
  return (
    <TooltipBox
      heading={`${members} ${noun}`}
      rows={here.map(({ label, time_ns }) => ({ name: label, value: formatDividedNs(time_ns) }))}
      note={isOpen ? "Open points: oversubscribed." : undefined}
    />
  );
}
