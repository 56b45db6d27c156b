/**
 * The change of each percentile: a line over all operations, and by repetitions a dot with its interval. The axis is
 * logarithmic in the share of slower operations, as in HdrHistogram plots.
 */
import { changeText } from "@/lib/changes";
import { percentileX, type Shift } from "@/lib/distributions";
import { CrosshairScope } from "./crosshair";
import { changeTick, type Measure } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { Curves } from "./plottables/Curves";
import { Intervals } from "./plottables/Intervals";
import { TooltipBox } from "./Tooltip";
import { changeScale } from "./ticks";

type Props = { name: string; label: string; shifts: Shift[]; measure: Measure };

const HEIGHT_PX = 240;
/** The smallest range of the axis, so that ordinary noise looks small. */
const RANGE_MIN = 0.02;

export function ShiftChart({ name, label, shifts, measure }: Props) {
  const points = shifts.map(({ key, change }) => [percentileX(key), change] as const);
  const curve = {
    key: "shift",
    label: "shift",
    stroke: "var(--data-1)",
    ink: "var(--data-1-ink)",
    dash: "",
    width: 1.5,
    points,
  };
  const stops = points.map(([x]) => x);
  const intervals = shifts.flatMap(({ key, repeated }) =>
    repeated === null ? [] : [{ x: percentileX(key), y: repeated.change, interval: repeated.interval }],
  );
  const values = [
    ...shifts.map(({ change }) => change),
    ...intervals.flatMap(({ y, interval }) => interval ?? [y]),
  ];
  return (
    <CrosshairScope>
      <PointedPlot
        name={name}
        label={label}
        stops={stops}
        curves={[curve]}
        tooltip={(at) => (
          <ShiftTooltip shift={shifts.find(({ key }) => percentileX(key) === at)} measure={measure} />
        )}
        height_px={HEIGHT_PX}
        top_px={14}
        right_px={24}
        x={{
          domain: [stops[0] ?? 1, stops.at(-1) ?? 2],
          ticks: stops,
          label: (x) => shifts[stops.indexOf(x)]?.label ?? "",
          isLogarithmic: true,
          padding_px: 12,
        }}
        y={{
          ...changeScale([...values, -RANGE_MIN, RANGE_MIN]),
          label: changeTick,
        }}
      >
        <Curves curves={[curve]} />
        <Intervals intervals={intervals} />
      </PointedPlot>
    </CrosshairScope>
  );
}

/** The difference of two values with its sign: `+1.20 µs`. */
export function differenceText(by: number, format: (value: number) => string): string {
  return `${by < 0 ? "\u2212" : "+"}${format(Math.abs(by))}`;
}

function ShiftTooltip({ shift, measure }: { shift: Shift | undefined; measure: Measure }) {
  if (shift === undefined) return null;
  const { label, before_ns, after_ns, change, repeated } = shift;
  return (
    <TooltipBox
      heading={label}
      rows={[
        { name: "before", value: measure.format(before_ns) },
        { name: "after", value: measure.format(after_ns) },
        {
          name: "change",
          value: `${changeText(change)}, ${differenceText(after_ns - before_ns, measure.format)}`,
        },
        ...(repeated === null ? [] : [{ name: "repetitions", value: changeText(repeated.change) }]),
        ...(repeated?.interval == null
          ? []
          : [{ name: "95 % CI", value: repeated.interval.map(changeText).join(" to ") }]),
      ]}
    />
  );
}
