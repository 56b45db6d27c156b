/** The affected series of a regression, the largest changes first. */
import { useQueries } from "@tanstack/react-query";
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
const ROW_REM = 2.1;

type Row = SeriesSummary & { change: ChangePoint };

type Props = { project: string; changes: ChangePoint[]; search: ListSearch };

export function AffectedSeries({ project, changes, search }: Props) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? changes : changes.slice(0, SHOWN_MAX);
  const answers = useQueries({ queries: shown.map(({ series_id }) => seriesQuery(series_id)) });
  const rows = shown.flatMap((change, index): Row[] => {
    const series = answers[index]?.data;
    return series === undefined ? [] : [{ ...series, change }];
  });
  const onSearch = useSearchChange<ListSearch>();
  const columns = useMemo(() => columnsOf(changes), [changes]);
  const link = useCallback(
    ({ series_id }: Row, row: RowLink) => <Link {...toSeries(project, series_id)} {...row} />,
    [project],
  );
  useRowKeys("Affected series");
  const failed = answers.filter(({ isError }) => isError);
  const [first] = failed;
  if (first?.error != null) {
    const retry = () => {
      for (const { refetch } of failed) void refetch();
    };
    return <ErrorState error={first.error} onRetry={retry} heading="h2" />;
  }
  if (rows.length < shown.length) return <Skeleton height={`${(shown.length + 2) * ROW_REM}rem`} />;
  const left = changes.length - shown.length;
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
      {left > 0 && (
        <p className="section-note">
          <TextButton onClick={() => setIsAll(true)}>Show {formatCount(left)} more</TextButton>
        </p>
      )}
    </>
  );
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
