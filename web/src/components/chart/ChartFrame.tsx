/**
 * What every chart has around it: a title, one sentence that says what it shows, the same data as a table and as
 * CSV, a link to exactly this, and what stands here while data is on its way or when it failed.
 */
import { type ReactNode, useId } from "react";
import { CopyLink } from "@/components/ui/CopyLink";
import { ErrorState } from "@/components/ui/ErrorState";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { Skeleton } from "@/components/ui/Skeleton";
import { type CsvCell, download, toCsv } from "@/lib/csv";

/** A chart's data as a table: the cells as people read them and as programs do. */
export type ChartTable = {
  /** The name of the CSV file, without its ending. */
  fileName: string;
  columns: { label: string; csvName: string; number: boolean }[];
  rows: { key: string; cells: ReactNode[]; csv: CsvCell[] }[];
};

type Props = {
  title: string;
  summary: ReactNode;
  table: ChartTable | null;
  isTable: boolean;
  onTableChange: (isTable: boolean) => void;
  /** What can be chosen about this chart alone. */
  controls?: ReactNode;
  /** Loading or failed data; absent when it is there. */
  pending?: { error: Error | null; onRetry: () => void };
  children: ReactNode;
};

export function ChartFrame({
  title,
  summary,
  table,
  isTable,
  onTableChange,
  controls,
  pending,
  children,
}: Props) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {table !== null && (
          <div className="tools">
            <button
              type="button"
              className="text-button"
              aria-pressed={isTable}
              onClick={() => onTableChange(!isTable)}
            >
              Table
            </button>
            <button type="button" className="text-button" onClick={() => saveCsv(table)}>
              CSV
            </button>
            <CopyLink />
          </div>
        )}
      </div>
      {pending !== undefined ? (
        <Pending {...pending} />
      ) : (
        <>
          <p className="chart-summary">{summary}</p>
          {controls}
          {isTable && table !== null ? <DataTable title={title} table={table} /> : children}
        </>
      )}
    </section>
  );
}

function Pending({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} heading="h2" />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height="16rem" />
    </div>
  );
}

function DataTable({ title, table }: { title: string; table: ChartTable }) {
  return (
    <ScrollRegion label={title}>
      <table className="table table-dense">
        <thead>
          <tr>
            {table.columns.map(({ label, number }) => (
              <th key={label} scope="col" className={number ? "number" : undefined}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(({ key, cells }) => (
            <tr key={key}>
              {table.columns.map(({ label, number }, index) => (
                <td key={label} className={number ? "number" : undefined}>
                  {cells[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function saveCsv({ fileName, columns, rows }: ChartTable): void {
  const content = toCsv(
    columns.map(({ csvName }) => csvName),
    rows.map(({ csv }) => csv),
  );
  download(`${fileName}.csv`, content, "text/csv;charset=utf-8");
}
