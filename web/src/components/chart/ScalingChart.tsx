/**
 * A time against how many take part: the count doubles from step to step, the time is logarithmic, and every panel of a
 * page has the same axes. Points with more threads than processors are open.
 */
import { useRef } from "react";
import { usePlotArea, useYAxisScale } from "recharts";
import { formatDividedNs } from "@/lib/units";
import { lineStyle } from "./lines";
import { LATENCY } from "./measure";
import { Plot } from "./Plot";
import { CrosshairMark } from "./plottables/CrosshairMark";
import { Curves } from "./plottables/Curves";
import { Dots } from "./plottables/Dots";
import { Gestures } from "./plottables/Gestures";
import { TooltipBox } from "./Tooltip";

/** One line of a panel. */
type ScalingLine = {
  key: string;
  label: string;
  look: number;
  points: { members: number; time_ns: number; isOversubscribed: boolean }[];
};

type Props = {
  name: string;
  lines: ScalingLine[];
  /** Of all panels. */
  members: number[];
  times_ns: number[];
  /** Where it would stay if more members cost nothing. */
  flat_ns: number | null;
  /** What members are: `receivers`. */
  noun: string;
  emphasised: string | null;
};

const HEIGHT_PX = 260;
const PADDING_PX = 12;

export function ScalingChart({ name, lines, members, times_ns, flat_ns, noun, emphasised }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const drawn = lines.map(({ key, label, look, points }) => ({
    key,
    label,
    style: lineStyle(look),
    isFaded: emphasised !== null && emphasised !== key,
    points: points
      .map(({ members: x, time_ns: y, isOversubscribed }) => ({
        x,
        y,
        apart: isOversubscribed ? ("oversubscribed" as const) : null,
      }))
      .sort((one, other) => one.x - other.x),
  }));
  const curves = drawn.map(({ style, points, ...line }) => ({
    ...line,
    ...style,
    width: 1.5,
    points: points.map(({ x, y }) => [x, y] as const),
  }));
  return (
    <div ref={container} className="chart" role="img" aria-label={name}>
      <Plot
        height_px={HEIGHT_PX}
        top_px={10}
        right_px={12}
        x={{
          domain: [Math.min(...members), Math.max(...members)],
          ticks: members,
          label: String,
          isLogarithmic: true,
          padding_px: PADDING_PX,
        }}
        y={{
          ...LATENCY.logarithmic(times_ns),
          label: (tick) => LATENCY.axisLabels([tick])[0] ?? "",
          isLogarithmic: true,
          padding_px: PADDING_PX / 2,
        }}
      >
        {flat_ns !== null && <Level value={flat_ns} />}
        <Curves curves={curves} />
        <Dots lines={drawn.map((line) => ({ ...line, radius: 2.75 }))} />
        <CrosshairMark
          name={name}
          stops={members}
          curves={curves}
          within={container}
          tooltip={(x) => <ScalingTooltip lines={lines} members={x} noun={noun} />}
        />
        <Gestures name={name} stops={members} />
      </Plot>
    </div>
  );
}

/** A dotted rule at one value. */
function Level({ value }: { value: number }) {
  const area = usePlotArea();
  const at = useYAxisScale()?.(value);
  if (area === undefined || at === undefined) return null;
  return <path d={`M${area.x},${at}h${area.width}`} stroke="var(--muted)" strokeDasharray="1 4" />;
}

function ScalingTooltip({ lines, members, noun }: Pick<Props, "lines" | "noun"> & { members: number }) {
  const here = lines
    .flatMap(({ label, points }) =>
      points.filter((point) => point.members === members).map((point) => ({ label, ...point })),
    )
    .sort((a, b) => a.time_ns - b.time_ns);
  if (here.length === 0) return null;
  return (
    <TooltipBox
      heading={`${members} ${noun}`}
      rows={here.map(({ label, time_ns }) => ({ name: label, value: formatDividedNs(time_ns) }))}
      {...(here.some(({ isOversubscribed }) => isOversubscribed)
        ? { note: "Open points: more threads than processors." }
        : {})}
    />
  );
}
