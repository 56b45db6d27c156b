/** A series with samples: every operation was timed. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { changePointsQuery, runQuery } from "@/api/queries";
import type { ChangePoint, SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DeliveryTable } from "@/components/DeliveryTable";
import { LazyBeforeAfter } from "@/components/LazyBeforeAfter";
import { Section } from "@/components/ui/states";
import { numeric, rowHead, TableSection } from "@/components/ui/Table";
import { Facts, Warnings } from "@/components/ui/text";
import { headlineName, sendersOf } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { useLast, usePainted } from "@/lib/hooks";
import { isImported } from "@/lib/imports";
import { toComparison } from "@/lib/paths";
import { lossText, OVERSUBSCRIBED } from "@/lib/points";
import { formatCount, unbrokenTimes } from "@/lib/units";
import { latencyMeaning } from "@/lib/vocabulary";
import { Trend } from "./CommitTrend";
import {
  importFacts,
  importLede,
  methodologyFacts,
  pointHeadline,
  positionOf,
  probeReadings,
  type SeriesPoint,
  shownTrend,
} from "./data";
import { PinnedPoint } from "./PinnedPoint";
import { FileSection, SeriesBreadcrumb, TrendControls } from "./SeriesParts";
import { LAST_USUAL, type Percentile } from "./search";
import { changesOf, type Stop } from "./stops";
import { useCommitsAt, usePageState, usePinned, useSeriesKeys } from "./usePageState";
import { useDriftStarts, useStops } from "./useStops";

const sections = () => import("./sections");
const Changes = lazy(async () => ({ default: (await sections()).Changes }));
const Distributions = lazy(async () => ({ default: (await sections()).Distributions }));
const Sizes = lazy(async () => ({ default: (await sections()).Sizes }));
const TimeBudget = lazy(async () => ({ default: (await sections()).TimeBudget }));

const NO_CHANGES: ChangePoint[] = [];

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
    () => shownTrend(series.latest?.count ?? 0, wanted),
    [series, wanted],
  );
  const drawn = useStops(series, search, lines, shown);
  const { extent, before } = drawn;
  const pin = usePinned(series, search, before);
  const { pinned, detail, earlierPoint } = pin;
  const { data: found } = useQuery(changePointsQuery([seriesId]));
  const changePoints = found?.change_points ?? NO_CHANGES;
  const starts = useDriftStarts(project, changePoints);
  const changes = useMemo(() => {
    const keys = lines.map(({ key }) => key);
    return axis === "commits" ? changesOf(changePoints, keys, starts) : [];
  }, [axis, changePoints, lines, starts]);
  const run = useQuery({ ...runQuery(pinned?.point.run_id ?? ""), enabled: pinned !== null });
  const isFromFile = isImported(series);
  const readings = detail.data === undefined ? [] : probeReadings(detail.data, sendersOf(series.case));
  // Many sections show the pinned point, after it is loaded.
  const isLoading = pinned !== null && (detail.isPending || run.isPending);
  const loaded = useMemo(
    () => ({ pinned, detail: detail.data ?? null, earlierPoint, run: run.data ?? null }),
    [pinned, detail.data, earlierPoint, run.data],
  );
  const shownPin = usePainted(useLast(isLoading ? null : loaded) ?? loaded);
  const sides = useMemo(() => {
    const sideOf = ({ point }: SeriesPoint) => ({
      runId: point.run_id,
      seriesId,
      label: `#${point.commit_ordinal}`,
    });
    const [before, after] = [shownPin.earlierPoint, shownPin.pinned].map((side) => side && sideOf(side));
    return after == null ? null : { before: before ?? null, after };
  }, [shownPin, seriesId]);
  const laterRange = usePainted(range);
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
        {pinned === null ? "no data yet" : unbrokenTimes(pointHeadline(pinned.point, series.case))}
      </h1>
      <p className="lede">{isFromFile ? importLede(series) : measuredLede(series)}</p>
      <Warnings texts={warningsOf(series, pinned, observed?.oversubscribed ?? false)} />
      {pinned !== null && (
        <div className="series-layout">
          <div>
            <TrendControls
              shown={shown}
              choices={choices}
              axis={axis}
              scale={search.scale ?? "linear"}
              hasRate={hasRate}
              last={search.last ?? LAST_USUAL}
              isZoomed={range !== null}
              onChange={onAxis}
              onScale={change}
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
              scale={search.scale ?? "linear"}
              pinned={{
                x: pinned_x,
                values: { ...pinned.point.latency_ns, rate: pinned.point.bytes_per_second ?? 0 },
              }}
              {...(axis === "commits" && { onCompare })}
            />
            {axis === "commits" && !isFromFile && (
              <Suspense fallback={<LoadingChart name="distributions" title="Distribution over commits" />}>
                <Distributions
                  series={series}
                  extent={extent}
                  range={laterRange}
                  reach={search.reach ?? "usual"}
                  shape={search.shape ?? "heat"}
                  pinned_x={pinned_x}
                  changes={changes}
                  onPin={onPin}
                  onRange={onRange}
                  onChange={change}
                />
              </Suspense>
            )}
            {axis === "commits" && !isFromFile && (
              <Suspense fallback={<LoadingChart name="budget" title="Where the time goes" />}>
                <TimeBudget
                  series={series}
                  extent={extent}
                  range={laterRange}
                  pinned_x={pinned_x}
                  changes={changes}
                  onPin={onPin}
                  onRange={onRange}
                />
              </Suspense>
            )}
            <Suspense fallback={null}>
              <Changes series={series} changePoints={changePoints} starts={starts} />
            </Suspense>
          </div>
          <PinnedPoint
            series={series}
            pinned={shownPin.pinned ?? pinned}
            detail={shownPin.detail}
            before={before}
            earlier={shownPin.earlierPoint}
            changePoints={changePoints}
            starts={starts}
          />
          {sides !== null && (
            <LazyBeforeAfter
              title={`Distribution at ${shortSha((shownPin.pinned ?? pinned).point.commit_sha)}`}
              name="distribution"
              of={series}
              {...sides}
            />
          )}
        </div>
      )}
      {deliveries.length > 0 && (
        <Section title="Deliveries by receiver">
          <DeliveryTable label="Deliveries by receiver" groups={[{ key: seriesId, deliveries }]} />
        </Section>
      )}
      <TableSection
        title="Probe readings"
        rows={readings}
        keyOf={({ end, event }) => `${end} ${event}`}
        columns={[
          ["End", ({ end }) => end, "muted"],
          [numeric("Count"), ({ count }) => count !== null && formatCount(count)],
          [
            rowHead("Event"),
            ({ event, count, reason }) => (count === null ? `${event}: ${reason}` : event),
            ({ count }) => ({ className: count === null ? "brief muted" : "brief" }),
          ],
        ]}
      />
      {pinned !== null && (
        <div className="columns">
          {!isFromFile && (
            <Suspense fallback={<LoadingChart name="sizes" title="By message size" />}>
              <Sizes
                series={series}
                pinned={shownPin.pinned ?? pinned}
                shown={hasRate ? "throughput" : (search.sizes ?? "p50")}
                run={shownPin.run}
                error={run.error}
                onRetry={run.refetch}
                onShow={onSizes}
              />
            </Suspense>
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

function LoadingChart({ name, title }: { name: string; title: string }) {
  const pending = { error: null, onRetry: () => {} };
  return (
    <ChartFrame name={name} title={title} summary="" table={null} pending={pending}>
      {null}
    </ChartFrame>
  );
}

function measuredLede({ transport, case: kase }: SeriesSummary): string {
  const meaning = latencyMeaning(kase.scenario);
  const latency = meaning === null ? "" : ` Latency: ${meaning}.`;
  return `${transport.title}. ${transport.semantics}${latency}`;
}

function warningsOf(series: SeriesSummary, pinned: SeriesPoint | null, isOversubscribed: boolean): string[] {
  const { probe } = series.methodology;
  const point = pinned?.point;
  const rate = point?.bytes_per_second == null ? "" : "; throughput counts delivered messages only";
  const warnings = [
    probe != null && `Measured with probe ${probe}. Not comparable with results without it.`,
    point?.lossy && `Lossy: ${lossText(point, series.case)}${rate}. Not comparable with lossless results.`,
    isOversubscribed && `Oversubscribed: ${OVERSUBSCRIBED}.`,
  ];
  return warnings.filter((warning) => typeof warning === "string");
}
