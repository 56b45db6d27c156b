/** A series of values that another tool stated without samples. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { changePointsQuery, pointsQuery, runQuery } from "@/api/queries";
import type { SeriesSummary, StatedPoint } from "@/api/types";
import { Section } from "@/components/ui/states";
import { Facts, NotStated, TimeText, ValueText } from "@/components/ui/text";
import { headlineName } from "@/lib/cases";
import { intervalOf, nsPerOperation, quantileName } from "@/lib/imports";
import { formatCount, formatOf, unbrokenTimes } from "@/lib/units";
import { Changes } from "./Changes";
import { StatedTrend } from "./CommitTrend";
import {
  drawnPoints,
  importFacts,
  pinnedPoint,
  positionOf,
  type SeriesPoint,
  seriesPoints,
  statedHeadline,
  statedLede,
} from "./data";
import { PinnedFrame } from "./PinnedPoint";
import { FileSection, SeriesBreadcrumb, TrendControls } from "./SeriesParts";
import { changesOf, pointsOf, readStated, stopsOfPoints } from "./stops";
import { usePageState } from "./usePageState";
import { useDriftStarts } from "./useStops";

export function StatedSeries({ series, statistic }: { series: SeriesSummary; statistic: string }) {
  const { data: answer } = useSuspenseQuery(pointsQuery([series.series_id]));
  const state = usePageState();
  const { search, range, change, onAxis, onRange } = state;
  const points = seriesPoints(answer.series[0]?.summaries ?? [], answer.commits);
  const axis = search.axis ?? "commits";
  const drawn = drawnPoints(points, axis);
  const stops = stopsOfPoints(drawn, axis, readStated);
  const byOrdinal = points.findLast(({ point }) => point.commit_ordinal === search.at);
  const pinned = pinnedPoint(points, drawn, search.run ?? byOrdinal?.point.run_id);
  const { data: found } = useQuery(changePointsQuery([series.series_id]));
  const changePoints = found?.change_points ?? [];
  const starts = useDriftStarts(series.project, changePoints);
  const changes = axis === "commits" ? changesOf(changePoints, ["p50"], starts, statistic) : [];
  const run = useQuery({ ...runQuery(pinned?.point.run_id ?? ""), enabled: pinned !== null });
  const [first, last] = [stops[0], stops.at(-1)];
  return (
    <>
      <SeriesBreadcrumb series={series} />
      <h1>
        {headlineName(series.case)}:{" "}
        {pinned === null
          ? "no data yet"
          : unbrokenTimes(statedHeadline(pinned.point, statistic, series.case))}
      </h1>
      <p className="lede">{statedLede(series, statistic)}</p>
      {pinned !== null && first !== undefined && last !== undefined && (
        <>
          <div className="series-layout">
            <div>
              <TrendControls
                axis={axis}
                scale={search.scale ?? "linear"}
                isZoomed={range !== null}
                onChange={onAxis}
                onScale={change}
                onWhole={() => onRange(null)}
              />
              <StatedTrend
                {...state}
                series={series}
                statistic={statistic}
                drawn={drawn}
                stops={stops}
                extent={[first.x, last.x]}
                changes={changes}
                thinned={null}
                axis={axis}
                scale={search.scale ?? "linear"}
                overview={pointsOf(stops, "center")}
                pinned={{ x: positionOf(pinned.point, axis), ...readStated(pinned.point) }}
              />
              <Changes series={series} changePoints={changePoints} starts={starts} name={statistic} />
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

type Props = { series: SeriesSummary; pinned: SeriesPoint<StatedPoint>; statistic: string };

/** The pinned value of another tool, with all that it states. */
function StatedPin({ series, pinned, statistic }: Props) {
  const { center_ns, min_ns, max_ns, quantiles, count } = pinned.point;
  const each = nsPerOperation(center_ns, series.case);
  const time = (name: string, stored: number | null) =>
    stored !== null && { name, value: <ValueText plain stored={stored} of={series.case} /> };
  return (
    <PinnedFrame
      series={series}
      pinned={pinned}
      facts={[
        { name: statistic, value: <ValueText stored={center_ns} of={series.case} /> },
        each !== null && { name: "Per operation", value: <TimeText plain isDivided ns={each} /> },
        {
          name: "Interval",
          value: intervalOf(pinned.point)?.map(formatOf(series.case)).join(" to ") ?? <NotStated />,
        },
        time("Min", min_ns),
        ...quantiles.map(({ q_ppm, ns }) => time(quantileName(q_ppm), ns)),
        time("Max", max_ns),
        { name: "Samples", value: count === null ? <NotStated /> : `${formatCount(count)}, not kept` },
        { name: "Runs", value: formatCount(pinned.runs) },
      ]}
    />
  );
}
