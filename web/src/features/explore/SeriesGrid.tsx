/** Matching series as sparklines over the last commits, with a common crosshair. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
import { commitsQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { CommitSlider, placeOf, pointAt } from "@/components/chart/CommitSlider";
import { CrosshairScope, useCrosshair, usePoint } from "@/components/chart/crosshair";
import { RidgeGlyph } from "@/components/chart/RidgeGlyph";
import type { Ridge } from "@/components/chart/ridges";
import { SparkLine, SparkPointer, SparkValue, SparkValueHead } from "@/components/chart/SparkCells";
import type { Spark } from "@/components/chart/sparklines";
import { type RowLink, SeriesTable, type ValueColumn } from "@/components/series/SeriesTable";
import type { ListChange, Trait } from "@/components/series/search";
import { ValueText } from "@/components/ui/text";
import { legendsOf } from "@/lib/changes";
import { groupBy } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { toSeries } from "@/lib/paths";
import type { Figure } from "@/lib/query";
import { isSite } from "@/lib/site";
import { percentileName } from "@/lib/statistics";
import { formatDay } from "@/lib/time";
import { useKeys } from "@/lib/useKeys";
import { useRowKeys } from "@/lib/useRowKeys";
import { figureOf, gridTable, newestOf, ordinalsOf, SEARCHED_FIGURES, sparkOf, sparkText } from "./data";
import type { ExploreSearch } from "./search";
import { useSparks } from "./useSparks";

type Props = {
  project: string;
  series: SeriesSummary[];
  figure: Figure;
  picked: readonly number[];
  onPick: (seriesId: number, isPicked: boolean) => void;
  search: ExploreSearch;
  onSearch: (change: ListChange) => void;
  /** The traits that differ between all matching series. */
  varied: readonly Trait[];
  controls: ReactNode;
};

const keyOf = ({ series_id }: SeriesSummary) => series_id;
const describeSeries = (series: SeriesSummary) => series;

export function SeriesGrid(props: Props) {
  const { project, series, figure, picked, onPick, search, onSearch, varied, controls } = props;
  const { lines, changes, ridges, error, onRetry, onShown } = useSparks(series, figure);
  const ordinals = useMemo(() => ordinalsOf(lines), [lines]);
  const commits = useQuery({
    ...commitsQuery(project, { from: ordinals[0] ?? 0, to: ordinals.at(-1) ?? 0, limit: 1000 }),
    enabled: ordinals.length > 0,
  }).data?.commits;
  const sparks = useMemo(() => {
    const changesOf = groupBy(changes, ({ series_id }) => series_id);
    return new Map(
      lines.map((line) => {
        const ofSeries = changesOf.get(line.series_id) ?? [];
        return [line.series_id, sparkOf(line, ofSeries, ordinals, figure, commits)];
      }),
    );
  }, [lines, changes, ordinals, figure, commits]);
  const describe = useCallback(
    (ordinal: number) => {
      const commit = commits?.find((candidate) => candidate.ordinal === ordinal);
      return commit === undefined
        ? `#${ordinal}`
        : `#${ordinal}, ${shortSha(commit.sha)} ${commit.subject}, ${formatDay(commit.committed_at)}`;
    },
    [commits],
  );
  const columns = useMemo(
    (): ValueColumn<SeriesSummary>[] => [
      {
        key: "select",
        head: { name: "Select", isUnseen: true, className: "corner" },
        isFirst: true,
        cell: ({ series_id }, name) => (
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={picked.includes(series_id)}
            onChange={({ target }) => onPick(series_id, target.checked)}
          />
        ),
      },
      {
        key: "commits",
        head: {
          name: "Commits",
          className: "spark-cell new-line",
          content: <CommitSlider ordinals={ordinals} describe={describe} />,
        },
        cell: (entry) => {
          const spark = sparks.get(entry.series_id) ?? null;
          if (spark === null) return <span className="sparkline-room" />;
          const text = sparkText(spark, figureOf(entry, figure), entry.case);
          return <SparkLine spark={spark} text={text} ordinals={ordinals} />;
        },
      },
      ...(isSite() ? [] : [ridgeColumn(ridges)]),
      {
        key: "newest",
        head: {
          name: "Newest",
          className: "number spark-value",
          content: <SparkValueHead ordinals={ordinals} />,
        },
        order: (entry) => newestOf(entry, figure),
        cell: (entry) => {
          const spark = sparks.get(entry.series_id) ?? null;
          return (
            <SparkValue
              spark={spark}
              ordinals={ordinals}
              format={(stored) => <ValueText stored={stored} of={entry.case} />}
              newest={<Newest series={entry} spark={spark} ordinals={ordinals} figure={figure} />}
            />
          );
        },
      },
    ],
    [sparks, ridges, ordinals, describe, figure, picked, onPick],
  );
  const link = useCallback(
    ({ series_id }: SeriesSummary, row: RowLink) => <Link {...toSeries(project, series_id)} {...row} />,
    [project],
  );
  useRowKeys("Rows", { isSelectable: true });
  const name = percentileName(figure);
  const legends = legendsOf([...sparks.values()].flatMap((spark) => spark?.marks ?? []));
  const marks = SEARCHED_FIGURES.includes(figure) ? "" : " Changes are found in p50 and p99 only.";
  return (
    <ChartFrame
      name="explore"
      title={`${name} over the last ${ordinals.length > 1 ? `${ordinals.length} commits` : "commits"}`}
      summary={
        <>
          {["Own scale per line", "gap: environment changed", ...legends].join("; ")}.{marks}
        </>
      }
      table={gridTable(project, series, sparks, ordinals, figure)}
      controls={controls}
      pending={error !== null && lines.length === 0 ? { error, onRetry } : undefined}
    >
      <CrosshairScope>
        <CommitLine ordinals={ordinals} describe={describe} />
        <SparkPointer ordinals={ordinals}>
          <SeriesTable
            label={`${name} by series`}
            className="table table-dense sparks"
            rows={series}
            keyOf={keyOf}
            describe={describeSeries}
            link={link}
            columns={columns}
            varied={varied}
            search={search}
            onSearch={onSearch}
            onShown={onShown}
          />
        </SparkPointer>
      </CrosshairScope>
    </ChartFrame>
  );
}

function ridgeColumn(ridges: ReadonlyMap<number, Ridge[]>): ValueColumn<SeriesSummary> {
  return {
    key: "distribution",
    head: { name: "Distribution", className: "ridge-cell", title: "Newest; grey: the commit before it" },
    cell: ({ series_id }) => <RidgeGlyph ridges={ridges.get(series_id) ?? []} />,
  };
}

type NewestProps = {
  series: SeriesSummary;
  spark: Spark | null;
  ordinals: readonly number[];
  figure: Figure;
};

/** The newest value, with its commit if other series have a newer one. */
function Newest({ series, spark, ordinals, figure }: NewestProps) {
  const { latest } = series;
  const point = latest ?? series.latest_summary;
  if (point === null) return <span className="muted">not measured</span>;
  const stored = newestOf(series, figure);
  const remarks = [
    latest === null && figureOf(series, figure),
    spark !== null && point.commit_ordinal !== ordinals.at(-1) && `#${point.commit_ordinal}`,
  ].filter(Boolean);
  return (
    <>
      {latest?.lossy === true && <span className="warning">lossy </span>}
      {remarks.length > 0 && <span className="muted">{remarks.join(", ")} </span>}
      {stored === null ? (
        <span className="muted">too few values</span>
      ) : (
        <ValueText plain={latest?.lossy === true} stored={stored} of={series.case} />
      )}
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
