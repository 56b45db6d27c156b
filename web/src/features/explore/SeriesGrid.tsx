/** One page of matching series as sparklines over the last commits, with a common crosshair. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode, useCallback, useMemo } from "react";
import { changePointsQuery, commitsQuery, lineQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { placeOf, pointAt } from "@/components/chart/CommitSlider";
import { CrosshairScope, useCrosshair, usePoint } from "@/components/chart/crosshair";
import { SparklineGrid, type SparkRow } from "@/components/chart/SparklineGrid";
import type { Spark } from "@/components/chart/sparklines";
import { ValueText } from "@/components/ui/text";
import { legendsOf } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { toSeries } from "@/lib/paths";
import type { Figure } from "@/lib/query";
import { percentileName } from "@/lib/statistics";
import { formatDay } from "@/lib/time";
import { useKeys } from "@/lib/useKeys";
import {
  COMMITS_MAX,
  figureOf,
  gridTable,
  namesOf,
  ordinalsOf,
  SEARCHED_FIGURES,
  sparkOf,
  sparkText,
} from "./data";

type Props = {
  project: string;
  series: SeriesSummary[];
  figure: Figure;
  picked: readonly number[];
  onPick: (seriesId: number, isPicked: boolean) => void;
  controls: ReactNode;
};

/** Longer lines are thinned by the server. */
const POINTS_MAX = 120;

export function SeriesGrid({ project, series, figure, picked, onPick, controls }: Props) {
  const ids = useMemo(() => series.map(({ series_id }) => series_id), [series]);
  const asked = { quantiles: figure, repetitions: false, last: COMMITS_MAX, points: POINTS_MAX };
  const lines = useQuery(lineQuery(ids, asked));
  const changes = useQuery(changePointsQuery(ids)).data?.change_points;
  const ordinals = useMemo(() => ordinalsOf(lines.data?.series ?? []), [lines.data]);
  const commits = useQuery({
    ...commitsQuery(project, { from: ordinals[0] ?? 0, to: ordinals.at(-1) ?? 0, limit: 1000 }),
    enabled: ordinals.length > 0,
  }).data?.commits;
  const sparks = useMemo(() => {
    const byId = new Map(lines.data?.series.map((line) => [line.series_id, line]));
    return new Map(
      ids.map((id) => {
        const ofSeries = changes?.filter(({ series_id }) => series_id === id) ?? [];
        return [id, sparkOf(byId.get(id), ofSeries, ordinals, figure, commits)];
      }),
    );
  }, [lines.data, changes, ids, ordinals, figure, commits]);
  const { names, common } = useMemo(() => namesOf(series), [series]);

  const rows = series.flatMap((entry, index): SparkRow | [] => {
    const name = names[index];
    if (name === undefined) return [];
    const spark = sparks.get(entry.series_id) ?? null;
    return {
      key: String(entry.series_id),
      cells: [
        <input
          key="pick"
          type="checkbox"
          aria-label={`Select ${name.transport}, ${name.kase}, ${entry.machine}`}
          checked={picked.includes(entry.series_id)}
          onChange={({ target }) => onPick(entry.series_id, target.checked)}
        />,
        <Fragment key="name">
          <Link {...toSeries(project, entry.series_id)}>
            {name.transport}, {name.kase}
          </Link>
          {name.how.length > 0 && <span className="muted"> {name.how.join(", ")}</span>}
        </Fragment>,
        entry.machine,
      ],
      spark,
      text: spark === null ? "" : sparkText(spark, figureOf(entry, figure), entry.case),
      format: (stored: number) => <ValueText stored={stored} of={entry.case} />,
      newest: <Newest series={entry} spark={spark} ordinals={ordinals} figure={figure} />,
    };
  });
  const describe = useCallback(
    (ordinal: number) => {
      const commit = commits?.find((candidate) => candidate.ordinal === ordinal);
      return commit === undefined
        ? `#${ordinal}`
        : `#${ordinal}, ${shortSha(commit.sha)} ${commit.subject}, ${formatDay(commit.committed_at)}`;
    },
    [commits],
  );
  const name = percentileName(figure);
  const legends = legendsOf([...sparks.values()].flatMap((spark) => spark?.marks ?? []));
  const marks = SEARCHED_FIGURES.includes(figure) ? "" : " Changes are found in p50 and p99 only.";
  return (
    <ChartFrame
      name="explore"
      title={`${name} over the last ${ordinals.length > 1 ? `${ordinals.length} commits` : "commits"}`}
      summary={
        <>
          {common.length > 0 && `All: ${common.join(", ")}. `}
          {["Own scale per line", "gap: environment changed", ...legends].join("; ")}.{marks}
        </>
      }
      table={gridTable(project, series, names, sparks, ordinals, figure)}
      controls={controls}
      pending={lines.isError ? { error: lines.error, onRetry: lines.refetch } : undefined}
    >
      <CrosshairScope>
        <CommitLine ordinals={ordinals} describe={describe} />
        <SparklineGrid
          label={`${name} by series`}
          columns={["", "Series", "Machine"]}
          rows={rows}
          ordinals={ordinals}
          describe={describe}
        />
      </CrosshairScope>
    </ChartFrame>
  );
}

type NewestProps = {
  series: SeriesSummary;
  spark: Spark | null;
  ordinals: readonly number[];
  figure: Figure;
};

/** The newest value, with its commit if other series have a newer one. */
function Newest({ series, spark, ordinals, figure }: NewestProps) {
  const { latest, latest_summary } = series;
  const point = latest ?? latest_summary;
  if (point === null) return <span className="muted">not measured</span>;
  const stored = latest === null ? (latest_summary?.center_ns ?? 0) : latest.latency_ns[figure];
  const remarks = [
    latest === null && figureOf(series, figure),
    spark !== null && point.commit_ordinal !== ordinals.at(-1) && `#${point.commit_ordinal}`,
  ].filter(Boolean);
  return (
    <>
      {latest?.lossy === true && <span className="warning">lossy </span>}
      {remarks.length > 0 && <span className="muted">{remarks.join(", ")} </span>}
      <ValueText plain={latest?.lossy === true} stored={stored} of={series.case} />
    </>
  );
}

type CommitLineProps = { ordinals: readonly number[]; describe: (ordinal: number) => string };

/** The commit at the crosshair, or a hint. */
function CommitLine({ ordinals, describe }: CommitLineProps) {
  const place = placeOf(useCrosshair(), ordinals);
  const point = usePoint();
  const move = (by: number) => point(pointAt(ordinals, place === null ? ordinals.length - 1 : place + by));
  useKeys({
    title: "Explore",
    keys: [
      ["ArrowLeft", "previous commit in all charts", () => move(-1)],
      ["ArrowRight", "next commit in all charts", () => move(1)],
    ],
  });
  const ordinal = place === null ? undefined : ordinals[place];
  return (
    <p className="spark-commit">
      {ordinal === undefined ? (
        <>
          Hover or use <kbd>←</kbd> <kbd>→</kbd> to inspect a commit.
        </>
      ) : (
        describe(ordinal)
      )}
    </p>
  );
}
