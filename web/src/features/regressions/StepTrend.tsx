/** The series around a change: its line, the change, and the levels before and after. */
import type { ChangePoint, LineSeries, SeriesSummary } from "@/api/types";
import { lineStyle } from "@/components/chart/lines";
import { measureOf } from "@/components/chart/measure";
import { PointedPlot } from "@/components/chart/PointedPlot";
import { Curves } from "@/components/chart/plottables/Curves";
import { EndLabels } from "@/components/chart/plottables/EndLabels";
import { Rules } from "@/components/chart/plottables/Rules";
import { TooltipBox } from "@/components/chart/Tooltip";
import { ordinalScale } from "@/components/chart/ticks";
import { changeText, markOf } from "@/lib/changes";
import { historyOf } from "@/lib/history";
import { figureOf, levelLines, TREND_PX } from "./data";

type Props = { change: ChangePoint; series: SeriesSummary; line: LineSeries };

/** Room for a value such as `12.3 µs` at the end of a line. */
const LABEL_PX = 64;

export function StepTrend({ change, series, line }: Props) {
  const { commit_ordinal, after_commit_ordinal, direction, cause, kind } = change;
  const figure = figureOf(change);
  const { ordinals, values } = historyOf(line, figure);
  const measure = measureOf(series.case);
  const levels = levelLines(change, ordinals);
  const after = direction === "regressed" ? "var(--data-4-ink)" : "var(--data-2-ink)";
  const curves = [
    {
      key: figure,
      label: figure,
      ...lineStyle(0),
      width: 1.5,
      points: ordinals.map((ordinal, place) => [ordinal, values[place] ?? 0] as const),
    },
    ...levels.map(({ key, points }) => ({
      key,
      label: key,
      stroke: key === "after" ? after : "var(--muted)",
      ink: key === "after" ? after : "var(--muted)",
      dash: "5 3",
      width: 1.25,
      points,
    })),
  ];
  const yScale = measure.linear(curves.flatMap(({ points }) => points.map(([, value]) => value)));
  const yLabels = measure.axisLabels(yScale.ticks);
  return (
    <PointedPlot
      name="step"
      label={`${figure} by commit; ${changeText(change.change)} at #${commit_ordinal}`}
      stops={ordinals}
      curves={curves.slice(0, 1)}
      tooltip={(x) => {
        const value = values[ordinals.indexOf(x)];
        return (
          value !== undefined && (
            <TooltipBox heading={`#${x}`} rows={[{ name: figure, value: measure.format(value) }]} />
          )
        );
      }}
      height_px={TREND_PX}
      top_px={24}
      right_px={LABEL_PX}
      x={{ ...ordinalScale(ordinals), label: (ordinal) => `#${ordinal}` }}
      y={{ ...yScale, label: (tick) => yLabels[yScale.ticks.indexOf(tick)] ?? "" }}
    >
      <Rules
        rules={[]}
        changes={[
          {
            x: commit_ordinal,
            from: kind === "drift" ? after_commit_ordinal : commit_ordinal,
            mark: markOf(change),
            label: changeText(change.change),
            direction,
            isQuiet: cause === "machine",
          },
        ]}
      />
      <Curves curves={curves} />
      <EndLabels
        labels={curves.slice(1).map(({ key, ink, points }) => ({
          label: measure.format(Math.round(points[0]?.[1] ?? 0)),
          ink,
          value: points[0]?.[1] ?? 0,
          strong: key === "after",
        }))}
      />
    </PointedPlot>
  );
}
