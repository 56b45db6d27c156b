/** What another tool stated of each commit. The line is the figure; nothing here was measured by this suite. */
import type { StatedPoint } from "@/api/types";
import { LATENCY } from "@/components/chart/measure";
import { timeName, toolName } from "@/lib/imports";
import { upperFirst } from "@/lib/units";
import { type SeriesPoint, statedLines } from "../data";
import { statedTable } from "../tables";
import { CommitTrend, type TrendProps } from "./CommitTrend";

type Props = TrendProps & { statistic: string; drawn: SeriesPoint<StatedPoint>[] };

export function StatedTrend({ statistic, drawn, ...rest }: Props) {
  const { series, stops } = rest;
  const title = [`Stated ${statistic}`, timeName(series.case)].filter(Boolean).join(", ");
  const hasInterval = stops.some(({ band }) => band !== null);
  const band = hasInterval ? ", shaded the interval that it states" : "";
  return (
    <CommitTrend
      {...rest}
      title={upperFirst(title)}
      what={`The ${statistic} as ${toolName(series.transport)} states it${band}`}
      notes={[]}
      lines={statedLines(statistic)}
      others={[]}
      changes={[]}
      measure={LATENCY}
      table={statedTable(series, statistic, drawn)}
    />
  );
}
