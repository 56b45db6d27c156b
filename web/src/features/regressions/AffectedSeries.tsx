/** The affected series of a regression, the largest changes first. */
import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { seriesQuery } from "@/api/queries";
import type { ChangePoint, SeriesSummary } from "@/api/types";
import { type RowLink, SeriesTable, type ValueColumn } from "@/components/series/SeriesTable";
import type { ListSearch } from "@/components/series/search";
import { TextButton } from "@/components/ui/controls";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { numeric } from "@/components/ui/Table";
import { CommitName, ValueText } from "@/components/ui/text";
import { changeText } from "@/lib/changes";
import { distinct } from "@/lib/collections";
import { useSearchChange } from "@/lib/hooks";
import { toSeries } from "@/lib/paths";
import { formatCount } from "@/lib/units";
import { useRowKeys } from "@/lib/useRowKeys";

/** Of hundreds of series, the largest changes are shown first. */
const SHOWN_MAX = 20;
/** The height of a row, to reserve space. */
const ROW_REM = 2.1;

type Row = SeriesSummary & { change: ChangePoint };

type Props = { project: string; changes: ChangePoint[]; search: ListSearch };

export function AffectedSeries({ project, changes, search }: Props) {
  const [max, setMax] = useState(SHOWN_MAX);
  const shown = useMemo(() => changes.slice(0, max), [changes, max]);
  const { known, error, retry } = useQueries({
    queries: shown.map(({ series_id }) => seriesQuery(series_id)),
    combine: knownOf,
  });
  const rows = useMemo(() => {
    const byId = new Map(known.map((series) => [series.series_id, series]));
    return shown.flatMap((change): Row[] => {
      const series = byId.get(change.series_id);
      return series === undefined ? [] : [{ ...series, change }];
    });
  }, [shown, known]);
  const onSearch = useSearchChange<ListSearch>();
  const columns = useMemo(() => columnsOf(changes), [changes]);
  const link = useCallback(
    ({ series_id }: Row, row: RowLink) => <Link {...toSeries(project, series_id)} {...row} />,
    [project],
  );
  useRowKeys("Affected series");
  if (error !== null) return <ErrorState error={error} onRetry={retry} heading="h2" />;
  if (rows.length < shown.length) return <Skeleton height={`${(shown.length + 2) * ROW_REM}rem`} />;
  return (
    <>
      <SeriesTable
        label="Affected series"
        rows={rows}
        keyOf={keyOf}
        describe={describe}
        link={link}
        columns={columns}
        search={search}
        onSearch={onSearch}
      />
      {changes.length > max && (
        <p className="section-note">
          <TextButton onClick={() => setMax(changes.length)}>
            Show {formatCount(changes.length - max)} more
          </TextButton>
        </p>
      )}
    </>
  );
}

function knownOf(answers: UseQueryResult<SeriesSummary>[]) {
  const failed = answers.filter(({ isError }) => isError);
  return {
    known: answers.flatMap(({ data }) => data ?? []),
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

const keyOf = ({ change }: Row) => change.change_point_id;
const describe = (row: Row) => row;

function columnsOf(changes: readonly ChangePoint[]): ValueColumn<Row>[] {
  const isDrift = changes[0]?.kind === "drift";
  const [figure, ...others] = distinct(changes.map((change) => change.figure));
  const isOne = figure !== undefined && others.length === 0;
  const level = (stored: number, series: Row) => (
    <ValueText plain stored={Math.round(stored)} of={series.case} />
  );
  const percentile: ValueColumn<Row> = {
    key: "percentile",
    head: "Percentile",
    cell: ({ change }) => change.figure,
  };
  return [
    ...(isOne ? [] : [percentile]),
    { key: "before", head: numeric("Before"), cell: (row) => level(row.change.before_level, row) },
    { key: "after", head: numeric("After"), cell: (row) => level(row.change.after_level, row) },
    {
      key: "change",
      head: numeric(isOne ? `Change in ${figure}` : "Change"),
      order: ({ change }) => change.change,
      cell: ({ change: { change, direction } }) => (
        <span className={`change change-${direction}`}>{changeText(change)}</span>
      ),
    },
    isDrift
      ? {
          key: "range",
          head: "Range",
          cell: ({ change: { after_commit_ordinal, commit_ordinal } }) =>
            `#${after_commit_ordinal} to #${commit_ordinal}`,
        }
      : {
          key: "first",
          head: "First measured",
          cell: ({ change }) => <CommitName commit={{ sha: change.commit_sha }} />,
        },
  ];
}
