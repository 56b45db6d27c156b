/** A small chart of the minimum detectable change of a machine over time. */
import { formatShare } from "@/lib/units";
import { lineStyle } from "./lines";
import { PointedPlot } from "./PointedPlot";
import { Curves } from "./plottables/Curves";
import { type MarkedPoint, PointMarks } from "./plottables/PointMarks";
import { TooltipBox } from "./Tooltip";
import { linearScale } from "./ticks";

type Props = {
  name: string;
  /** The days, oldest first. */
  sampled: { day: string; change: number }[];
  formatDay: (day: string) => string;
};

export function DetectableChart({ name, sampled, formatDay }: Props) {
  const yScale = linearScale([0, ...sampled.map(({ change }) => change)], 3);
  const points = sampled.map(({ day, change }) => [Date.parse(day), change] as const);
  const stops = points.map(([x]) => x);
  const ends: [number, number] = [stops[0] ?? 0, stops.at(-1) ?? 1];
  const curve = { key: "detectable", label: "", ...lineStyle(0), width: 1.5, points };
  const dayAt = (x: number) => sampled.find(({ day }) => Date.parse(day) === x);
  return (
    <PointedPlot
      name={name}
      stops={stops}
      curves={[curve]}
      tooltip={(x) => {
        const at = dayAt(x);
        return (
          <TooltipBox
            heading={at === undefined ? "" : formatDay(at.day)}
            rows={at === undefined ? [] : [{ name: "detectable", value: `≥ ${formatShare(at.change)}` }]}
          />
        );
      }}
      height_px={132}
      top_px={6}
      right_px={8}
      x={{
        domain: ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends,
        ticks: [...new Set(ends)],
        label: (x) => formatDay(new Date(x).toISOString()),
      }}
      y={{ domain: yScale.domain, ticks: yScale.ticks, label: formatShare }}
    >
      <Curves curves={[curve]} />
      <PointMarks
        points={points.map(([x, y]): MarkedPoint => ({ x, y, mark: "plain" }))}
        pinned={null}
        dots
      />
    </PointedPlot>
  );
}
