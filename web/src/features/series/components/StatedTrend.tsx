/** What another tool stated of each commit. The line is the figure; nothing here was measured by this suite. */
import type { SeriesSummary, StatedPoint } from "@/api/types";
import { LATENCY } from "@/components/chart/measure";
import { intervalOf, timeName, toolName } from "@/lib/imports";
import { formatNs, upperFirst } from "@/lib/units";
import { type SeriesPoint, statedLines, statedRow } from "../data";
import { statedTable } from "../tables";
import { CommitTrend, type TrendProps } from "./CommitTrend";

type Props = TrendProps<StatedPoint> & { series: SeriesSummary; statistic: string };

export function StatedTrend({ series, statistic, ...rest }: Props) {
  const { drawn, axis } = rest;
  const title = [`Stated ${statistic}`, timeName(series.case)].filter(Boolean).join(", ");
  const hasInterval = drawn.some(({ point }) => intervalOf(point) !== null);
  const band = hasInterval ? ", shaded the interval that it states" : "";
  const readings = ({ point }: SeriesPoint<StatedPoint>) => {
    const interval = intervalOf(point);
    return [
      ...(interval === null
        ? []
        : [{ name: "interval", value: `${formatNs(interval[0])} to ${formatNs(interval[1])}` }]),
      { name: statistic, value: formatNs(point.center_ns) },
    ];
  };
  return (
    <CommitTrend
      {...rest}
      title={upperFirst(title)}
      what={`The ${statistic} as ${toolName(series.transport)} states it${band}`}
      marks={[]}
      lines={statedLines(statistic)}
      measure={LATENCY}
      table={statedTable(series, statistic, drawn)}
      rowOf={(entry) => statedRow(entry, axis)}
      readings={readings}
      remarks={() => ["stated, without samples"]}
    />
  );
}
