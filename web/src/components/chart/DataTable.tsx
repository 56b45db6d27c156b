/** A chart's data as a table and as a file. */
import { type ReactNode, useState } from "react";
import { TextButton } from "@/components/ui/controls";
import { numeric, Table } from "@/components/ui/Table";
import { type CsvCell, download, toCsv } from "@/lib/csv";
import { formatCount } from "@/lib/units";

/** A chart's data: cells for display and for CSV. */
export type ChartTable = {
  fileName: string;
  /** The link to the full data, if the table is not complete; `null` on a site. */
  csvHref?: string | null;
  columns: { label: string; csvName: string; number: boolean }[];
  /** Called on demand: there may be many rows. */
  rows: () => { key: string; cells: ReactNode[]; csv: CsvCell[] }[];
};

/** A column: its names on the page and in the file, its value, and how it is formatted on the page. */
type Column<Row> = {
  label: string;
  csvName: string;
  number: boolean;
  csv: (row: Row) => CsvCell;
  cell: (row: Row) => ReactNode;
};

/** A number column; `absent` is the text for missing values. */
export function num<Row>(
  label: string,
  csvName: string,
  csv: (row: Row) => number | null,
  write: (value: number, row: Row) => ReactNode = (value) => value,
  absent: string | ((row: Row) => string) = "",
): Column<Row> {
  const cell = (row: Row) => {
    const value = csv(row);
    if (value !== null) return write(value, row);
    return typeof absent === "string" ? absent : absent(row);
  };
  return { label, csvName, number: true, csv, cell };
}

/** A text column; the file may have other texts than the page. */
export function word<Row>(
  label: string,
  csvName: string,
  csv: (row: Row) => CsvCell,
  cell: (row: Row) => ReactNode = csv,
): Column<Row> {
  return { label, csvName, number: false, csv, cell };
}

/** Builds a table from columns. */
export function tableOf<Row>(fileName: string, rows: () => Row[], columns: Column<Row>[]): ChartTable {
  return {
    fileName,
    columns,
    rows: () =>
      rows().map((row, index) => ({
        key: String(index),
        cells: columns.map(({ cell }) => cell(row)),
        csv: columns.map(({ csv }) => csv(row)),
      })),
  };
}

/** Rows at first: a phone takes half a second for a thousand. */
const ROWS_FIRST = 50;
/** Limit for the page; the file has all rows. */
const ROWS_MAX = 1_000;

export function DataTable({ title, table }: { title: string; table: ChartTable }) {
  const [max, setMax] = useState(ROWS_FIRST);
  const rows = table.rows();
  return (
    <>
      <Table
        label={title}
        className="table table-dense"
        heads={table.columns.map(({ label, number }) => (number ? numeric(label) : label))}
      >
        <tbody>
          {rows.slice(0, max).map(({ key, cells }) => (
            <tr key={key}>
              {table.columns.map(({ label, number }, index) => (
                <td key={label} className={number ? "number" : undefined}>
                  {cells[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length > max && (
        <p className="section-note">
          First {formatCount(max)} of {formatCount(rows.length)} rows.{" "}
          {max < ROWS_MAX ? (
            <TextButton onClick={() => setMax(ROWS_MAX)}>
              Show {formatCount(Math.min(rows.length, ROWS_MAX))}
            </TextButton>
          ) : (
            "The CSV has all."
          )}
        </p>
      )}
    </>
  );
}

/** Downloads the table as a file. */
export function saveCsv({ fileName, columns, rows }: ChartTable): void {
  const content = toCsv(
    columns.map(({ csvName }) => csvName),
    rows().map(({ csv }) => csv),
  );
  download(`${fileName}.csv`, new Blob([content], { type: "text/csv;charset=utf-8" }));
}
