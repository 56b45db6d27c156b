/** One series: how it went over commits, and one pinned point in full. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { pointDetailQuery, pointsQuery, runQuery, seriesQuery } from "@/api/queries";
import type { PointList, RunDetail, SeriesSummary } from "@/api/types";
import { DeliveryTable } from "@/components/DeliveryTable";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { headlineName, sendersOf } from "@/lib/cases";
import { fileFacts, isImported, toolName } from "@/lib/imports";
import { originalHref } from "@/lib/paths";
import { unbrokenTimes } from "@/lib/units";
import { useTitle } from "@/lib/useTitle";
import { latencyMeaning } from "@/lib/vocabulary";
import { Breadcrumb } from "./components/Breadcrumb";
import { Cautions } from "./components/Cautions";
import { Distribution } from "./components/Distribution";
import { PinnedPoint } from "./components/PinnedPoint";
import { ProbeTable } from "./components/ProbeTable";
import { Sizes } from "./components/Sizes";
import { StatedPin } from "./components/StatedPin";
import { StatedTrend } from "./components/StatedTrend";
import { Trend } from "./components/Trend";
import { TrendControls } from "./components/TrendControls";
import {
  drawnPoints,
  importFacts,
  importLede,
  methodologyFacts,
  pinnedPoint,
  pointHeadline,
  seriesPoints,
  statedHeadline,
  statedLede,
  toldTrend,
} from "./data";
import { probeReadings } from "./probe";
import type { SeriesSearch } from "./search";

const route = getRouteApi("/$project/series/$seriesId");

export function SeriesPage() {
  const { seriesId } = route.useParams();
  const { data: series } = useSuspenseQuery(seriesQuery(Number(seriesId)));
  const { data: answer } = useSuspenseQuery(pointsQuery([Number(seriesId)]));
  const { statistic } = series.methodology;
  useTitle(
    `${isImported(series) ? toolName(series.transport) : series.transport.slug}: ${headlineName(series.case)}`,
  );
  return statistic == null ? (
    <MeasuredSeries series={series} answer={answer} />
  ) : (
    <StatedSeries series={series} answer={answer} statistic={statistic} />
  );
}

type Props = { series: SeriesSummary; answer: PointList };

function MeasuredSeries({ series, answer }: Props) {
  const { search, change } = usePageState();
  const { series_id: seriesId } = series;
  const points = seriesPoints(answer.series[0]?.points ?? [], answer.commits);
  const hasRate = points.some(({ point }) => point.bytes_per_second != null);
  const wanted =
    search.show === "throughput" && !hasRate ? "p99" : (search.show ?? (hasRate ? "throughput" : "p99"));
  const axis = search.axis ?? "commits";
  const drawn = drawnPoints(points, axis);
  const { choices, shown, lines } = toldTrend(series, drawn, wanted);
  const pinned = pinnedPoint(points, drawn, search.run);
  const runId = pinned?.point.run_id ?? "";

  const pointDetail = useQuery({ ...pointDetailQuery(runId, seriesId), enabled: pinned !== null });
  const run = useQuery({ ...runQuery(runId), enabled: pinned !== null });
  const isFromFile = isImported(series);
  const readings =
    pointDetail.data === undefined ? [] : probeReadings(pointDetail.data, sendersOf(series.case));
  const observed = run.data?.results.find(({ series_id }) => series_id === seriesId)?.observed ?? null;
  const deliveries = observed?.deliveries ?? [];

  return (
    <>
      <Breadcrumb series={series} />
      <h1>
        {headlineName(series.case)}:{" "}
        {pinned === null ? "nothing measured yet" : unbrokenTimes(pointHeadline(pinned.point, series.case))}
      </h1>
      <p className="lede">{isFromFile ? importLede(series) : measuredLede(series)}</p>
      <Cautions series={series} pinned={pinned} isOversubscribed={observed?.oversubscribed ?? false} />
      {pinned !== null && (
        <div className="series-layout">
          <div>
            <TrendControls shown={shown} choices={choices} axis={axis} hasRate={hasRate} onChange={change} />
            <Trend
              series={series}
              drawn={drawn}
              pinned={pinned}
              shown={shown}
              lines={lines}
              axis={axis}
              onPin={(id) => change({ run: id })}
            />
          </div>
          <PinnedPoint series={series} pinned={pinned} detail={pointDetail.data ?? null} />
          <Distribution series={series} pinned={pinned} query={pointDetail} />
        </div>
      )}
      {deliveries.length > 0 && (
        <Section title="What each receiver got">
          <DeliveryTable label="What each receiver got" deliveries={deliveries} />
        </Section>
      )}
      {readings.length > 0 && (
        <Section title="What the probe saw, over all repetitions">
          <ProbeTable readings={readings} />
        </Section>
      )}
      {pinned !== null && (
        <div className="columns">
          {!isFromFile && (
            <Sizes
              series={series}
              pinned={pinned}
              shown={hasRate ? "throughput" : (search.sizes ?? "p50")}
              query={run}
              onShow={(sizes) => change({ sizes })}
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

function StatedSeries({ series, answer, statistic }: Props & { statistic: string }) {
  const { search, change } = usePageState();
  const points = seriesPoints(answer.series[0]?.summaries ?? [], answer.commits);
  const axis = search.axis ?? "commits";
  const drawn = drawnPoints(points, axis);
  const pinned = pinnedPoint(points, drawn, search.run);
  const run = useQuery({ ...runQuery(pinned?.point.run_id ?? ""), enabled: pinned !== null });
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
      {pinned !== null && (
        <>
          <div className="series-layout">
            <div>
              <TrendControls axis={axis} onChange={change} />
              <StatedTrend
                series={series}
                statistic={statistic}
                drawn={drawn}
                pinned={pinned}
                axis={axis}
                onPin={(id) => change({ run: id })}
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

/** The file that the pinned point is from, and what it says of itself. */
function FileSection({ series, run }: { series: SeriesSummary; run: RunDetail | null }) {
  const original = run?.original ?? null;
  if (run === null || original === null) return null;
  return (
    <Section title="File">
      <Facts
        facts={[
          {
            name: "name",
            value:
              run.pruned.upload_at === null ? (
                <a href={originalHref(run.run.run_id)} download={original.name}>
                  {original.name}
                </a>
              ) : (
                original.name
              ),
          },
          { name: "format", value: series.transport.title },
          ...fileFacts(run.results),
        ]}
      />
    </Section>
  );
}

/** What the page keeps in its address, and how it changes. */
function usePageState() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/$project/series/$seriesId" });
  const change = (patch: SeriesSearch) =>
    navigate({ search: (previous) => ({ ...previous, ...patch }), replace: true, resetScroll: false });
  return { search, change };
}

function measuredLede({ transport, case: kase }: SeriesSummary): string {
  const meaning = latencyMeaning(kase.scenario);
  const latency = meaning === null ? "" : ` A latency is the time ${meaning}.`;
  return `${transport.title}. ${transport.semantics}${latency}`;
}
