/** A series of figures that another tool stated. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { pointsQuery, runQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { LATENCY } from "@/components/chart/measure";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { headlineName } from "@/lib/cases";
import { unbrokenTimes } from "@/lib/units";
import {
  drawnPoints,
  importFacts,
  pinnedPoint,
  positionOf,
  seriesPoints,
  statedHeadline,
  statedLede,
  statedLines,
} from "../data";
import { readStated, stopsOfPoints } from "../stops";
import { usePageState } from "../usePageState";
import { Breadcrumb } from "./Breadcrumb";
import { FileSection } from "./FileSection";
import { StatedPin } from "./StatedPin";
import { StatedTrend } from "./StatedTrend";
import { StopTooltip } from "./StopTooltip";
import { TrendControls } from "./TrendControls";

export function StatedSeries({ series, statistic }: { series: SeriesSummary; statistic: string }) {
  const { data: answer } = useSuspenseQuery(pointsQuery([series.series_id]));
  const { search, range, onAxis, onRange, onPin } = usePageState();
  const points = seriesPoints(answer.series[0]?.summaries ?? [], answer.commits);
  const axis = search.axis ?? "commits";
  const drawn = drawnPoints(points, axis);
  const stops = stopsOfPoints(drawn, axis, readStated);
  const byOrdinal = points.findLast(({ point }) => point.commit_ordinal === search.at);
  const pinned = pinnedPoint(points, drawn, search.run ?? byOrdinal?.point.run_id);
  const run = useQuery({ ...runQuery(pinned?.point.run_id ?? ""), enabled: pinned !== null });
  const [first, last] = [stops[0], stops.at(-1)];
  return (
    <>
      <Breadcrumb series={series} />
      <h1>
        {headlineName(series.case)}:{" "}
        {pinned === null
          ? "nothing stated yet"
          : unbrokenTimes(statedHeadline(pinned.point, statistic, series.case))}
      </h1>
      <p className="lede">{statedLede(series, statistic)}</p>
      {pinned !== null && first !== undefined && last !== undefined && (
        <>
          <div className="series-layout">
            <div>
              <TrendControls
                axis={axis}
                isZoomed={range !== null}
                onChange={onAxis}
                onWhole={() => onRange(null)}
              />
              <StatedTrend
                series={series}
                statistic={statistic}
                drawn={drawn}
                stops={stops}
                extent={[first.x, last.x]}
                thinned={null}
                axis={axis}
                range={range}
                pinned={{ x: positionOf(pinned.point, axis), ...readStated(pinned.point) }}
                onPin={onPin}
                onRange={onRange}
                tooltip={(stop) => (
                  <StopTooltip
                    project={series.project}
                    stop={stop}
                    lines={statedLines(statistic)}
                    measure={LATENCY}
                    axis={axis}
                    remark="stated, without samples"
                  />
                )}
              />
            </div>
            <StatedPin series={series} pinned={pinned} statistic={statistic} />
          </div>
          <div className="columns">
            <Section title="Methodology">
              <Facts facts={importFacts(series, null)} />
            </Section>
            <FileSection series={series} run={run.data ?? null} />
          </div>
        </>
      )}
    </>
  );
}
