/** A series of which every operation was timed. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, useCallback, useDeferredValue, useMemo } from "react";
import { changePointsQuery, runQuery } from "@/api/queries";
import type { ChangePoint, SeriesSummary } from "@/api/types";
import { DeliveryTable } from "@/components/DeliveryTable";
import { Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Facts } from "@/components/ui/text";
import { headlineName, sendersOf } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { isImported } from "@/lib/imports";
import { toComparison, toRegression } from "@/lib/paths";
import { lossText, OVERSUBSCRIBED } from "@/lib/points";
import { changeText } from "@/lib/regressions";
import { formatCount, formatNs, unbrokenTimes } from "@/lib/units";
import { latencyMeaning } from "@/lib/vocabulary";
import { Trend } from "./CommitTrend";
import { Distributions } from "./Distributions";
import {
  importFacts,
  importLede,
  methodologyFacts,
  pointHeadline,
  positionOf,
  probeReadings,
  type SeriesPoint,
  toldTrend,
} from "./data";
import { Distribution, Percentiles, Sizes } from "./PinnedCharts";
import { PinnedPoint } from "./PinnedPoint";
import { FileSection, SeriesBreadcrumb, TrendControls } from "./SeriesParts";
import { LAST_USUAL, type Percentile } from "./search";
import { changesOf, type Stop } from "./stops";
import { useCommitsAt, usePageState, usePinned, useSeriesKeys } from "./usePageState";
import { useStops } from "./useStops";

const NO_CHANGES: ChangePoint[] = [];

/** Whoever moves along the trend moves the trend: what stands beside it is drawn anew when it is about something else. */
export function MeasuredSeries({ series }: { series: SeriesSummary }) {
  const state = usePageState();
  const { search, range, change, onAxis, onRange, onPin } = state;
  const navigate = useNavigate();
  const { series_id: seriesId, project } = series;
  const hasRate = series.latest?.bytes_per_second != null;
  const wanted =
    search.show === "throughput" && !hasRate ? "p99" : (search.show ?? (hasRate ? "throughput" : "p99"));
  const axis = search.axis ?? "commits";
  const { choices, shown, lines } = useMemo(
    () => toldTrend(series, series.latest?.count ?? 0, wanted),
    [series, wanted],
  );
  const drawn = useStops(series, search, lines, shown);
  const { extent, before } = drawn;
  const pin = usePinned(series, search, before);
  const { pinned, detail, earlierPoint, earlier } = pin;
  const { data: found } = useQuery(changePointsQuery([seriesId]));
  const changePoints = found?.change_points ?? NO_CHANGES;
  const changes = useMemo(() => {
    const keys = lines.map(({ key }) => key);
    return axis === "commits" ? changesOf(changePoints, keys) : [];
  }, [axis, changePoints, lines]);
  const run = useQuery({ ...runQuery(pinned?.point.run_id ?? ""), enabled: pinned !== null });
  const isFromFile = isImported(series);
  const readings = detail.data === undefined ? [] : probeReadings(detail.data, sendersOf(series.case));
  // What is pinned is told in many sections: they follow when nothing waits that is nearer to the hand.
  const told = useDeferredValue(
    useMemo(
      () => ({ pinned, detail: detail.data ?? null, earlierPoint, earlier, run: run.data ?? null }),
      [pinned, detail.data, earlierPoint, earlier, run.data],
    ),
  );
  const rangeOfDistributions = useDeferredValue(range);
  const observed = run.data?.results.find(({ series_id }) => series_id === seriesId)?.observed ?? null;
  const deliveries = observed?.deliveries ?? [];
  const commitsAt = useCommitsAt(series);
  const pinned_x = pinned === null ? 0 : positionOf(pinned.point, axis);
  useSeriesKeys({ ...state, ...drawn, ...pin, project, pinned_x, changes });
  const onSizes = useCallback((sizes: Percentile) => void change({ sizes }), [change]);
  const onCompare = async (from: Stop, to: Stop) => {
    const [base, head] = await commitsAt(from.ordinal, to.ordinal);
    if (base != null && head != null) await navigate(toComparison(project, base, head));
  };

  return (
    <>
      <SeriesBreadcrumb series={series} />
      <h1>
        {headlineName(series.case)}:{" "}
        {pinned === null ? "nothing measured yet" : unbrokenTimes(pointHeadline(pinned.point, series.case))}
      </h1>
      <p className="lede">{isFromFile ? importLede(series) : measuredLede(series)}</p>
      <Cautions series={series} pinned={pinned} isOversubscribed={observed?.oversubscribed ?? false} />
      {pinned !== null && (
        <div className="series-layout">
          <div>
            <TrendControls
              shown={shown}
              choices={choices}
              axis={axis}
              hasRate={hasRate}
              last={search.last ?? LAST_USUAL}
              isZoomed={range !== null}
              onChange={onAxis}
              onWhole={() => onRange(null)}
            />
            <Trend
              {...state}
              {...drawn}
              series={series}
              shown={shown}
              lines={lines}
              changes={changes}
              axis={axis}
              pinned={{
                x: pinned_x,
                values: { ...pinned.point.latency_ns, rate: pinned.point.bytes_per_second ?? 0 },
              }}
              {...(axis === "commits" && { onCompare })}
            />
            {axis === "commits" && !isFromFile && (
              <Distributions
                series={series}
                extent={extent}
                range={rangeOfDistributions}
                reach={search.reach ?? "usual"}
                changes={changes}
                onPin={onPin}
                onRange={onRange}
                onChange={change}
              />
            )}
            <Changes project={project} changePoints={changePoints} />
          </div>
          <PinnedPoint
            series={series}
            pinned={told.pinned ?? pinned}
            detail={told.detail}
            before={before}
            earlier={told.earlierPoint}
            changePoints={changePoints}
          />
          <Distribution
            series={series}
            pinned={told.pinned ?? pinned}
            detail={told.detail}
            error={detail.error}
            onRetry={detail.refetch}
          />
        </div>
      )}
      {deliveries.length > 0 && (
        <Section title="What each receiver got">
          <DeliveryTable label="What each receiver got" deliveries={deliveries} />
        </Section>
      )}
      {readings.length > 0 && (
        <Section title="What the probe saw, over all repetitions">
          <RowTable
            label="What the probe saw"
            className="table table-dense"
            rows={readings}
            keyOf={({ end, what }) => `${end} ${what}`}
            columns={[
              ["end", ({ end }) => end, "muted"],
              [numeric("how often"), ({ count }) => count !== null && formatCount(count)],
              [
                rowHead("what"),
                ({ what, count, reason }) => (count === null ? `${what}: ${reason}` : what),
                ({ count }) => ({ className: count === null ? "brief muted" : "brief" }),
              ],
            ]}
          />
        </Section>
      )}
      {pinned !== null && (
        <div className="columns">
          {told.detail !== null && <Percentiles series={series} detail={told.detail} before={told.earlier} />}
          {!isFromFile && (
            <Sizes
              series={series}
              pinned={told.pinned ?? pinned}
              shown={hasRate ? "throughput" : (search.sizes ?? "p50")}
              run={told.run}
              error={run.error}
              onRetry={run.refetch}
              onShow={onSizes}
            />
          )}
          <Section title="Methodology">
            <Facts
              facts={
                isFromFile
                  ? importFacts(series, pinned.point)
                  : methodologyFacts(series.case, series.methodology, pinned.point)
              }
            />
          </Section>
          {isFromFile && <FileSection series={series} run={run.data ?? null} />}
        </div>
      )}
    </>
  );
}

function measuredLede({ transport, case: kase }: SeriesSummary): string {
  const meaning = latencyMeaning(kase.scenario);
  const latency = meaning === null ? "" : ` A latency is the time ${meaning}.`;
  return `${transport.title}. ${transport.semantics}${latency}`;
}

type Props = { series: SeriesSummary; pinned: SeriesPoint | null; isOversubscribed: boolean };

/** What keeps a series' figures from being compared with others, before anyone does. */
const Cautions = memo(function Cautions({ series, pinned, isOversubscribed }: Props) {
  const { probe } = series.methodology;
  return (
    <>
      {probe != null && (
        <p className="lede warning">
          Measured under the probe <strong>{probe}</strong>: not comparable with raw figures.
        </p>
      )}
      {pinned?.point.lossy && (
        <p className="lede warning">
          Lossy: {lossText(pinned.point, series.case)}
          {pinned.point.bytes_per_second != null && ", and the rate counts only what arrived"}. Not comparable
          with lossless figures.
        </p>
      )}
      {isOversubscribed && <p className="lede warning">Oversubscribed: {OVERSUBSCRIBED}.</p>}
    </>
  );
});

type ChangesProps = { project: string; changePoints: ChangePoint[] };

const CAUSES = { commit: "the commit", machine: "the machine", unknown: "not known" } as const;

/** Where the series changed its level, why, and where people talk about it: the triangles of the chart in words. */
const Changes = memo(function Changes({ project, changePoints }: ChangesProps) {
  if (changePoints.length === 0) return null;
  return (
    <Section title="Changes of the level">
      <RowTable
        label="Changes of the level"
        className="table table-dense"
        rows={changePoints.toReversed()}
        keyOf={({ change_point_id }) => change_point_id}
        columns={[
          [
            "change",
            ({ change }) => changeText(change),
            ({ direction }) => ({ className: `change change-${direction}` }),
          ],
          ["figure", ({ figure }) => figure],
          [
            "from",
            (change) => [change.before_ns, change.after_ns].map(Math.round).map(formatNs).join(" to "),
          ],
          [
            "commit",
            ({ commit_ordinal, commit_sha }) => (
              <>
                #{commit_ordinal} <code>{shortSha(commit_sha)}</code>
              </>
            ),
          ],
          [
            "made by",
            ({ matters, cause }) => (matters ? CAUSES[cause ?? "unknown"] : "too small to be told"),
            "muted",
          ],
          [
            "part of",
            ({ regression_id: id }) =>
              id === null ? (
                <span className="muted">none</span>
              ) : (
                <Link {...toRegression(project, id)}>#{id}</Link>
              ),
          ],
        ]}
      />
    </Section>
  );
});
