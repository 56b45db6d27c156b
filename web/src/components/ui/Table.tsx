/** A horizontally scrolling table with column headers. */
import type { ComponentProps, ReactNode } from "react";
import { ScrollRegion, Section } from "./states";

/** A column header: its name, optionally with properties of its cell. */
export type Head =
  | string
  | ({ name: string; isUnseen?: boolean; namesRows?: boolean; content?: ReactNode } & Pick<
      ComponentProps<"th">,
      "className" | "title" | "aria-sort" | "style"
    >);

/** The header of a number column. */
export const numeric = (name: string): Head => ({ name, className: "number" });

/** The header of the column with row headers. */
export const rowHead = (name: string, className?: string): Head => ({
  name,
  namesRows: true,
  ...(className !== undefined && { className }),
});

/** A header for screen readers only. */
export const unseen = (name: string): Head => ({ name, isUnseen: true });

type Props = {
  label: string;
  className?: string;
  heads: readonly Head[];
  /** The number of rows with the header, if not all are in the document. */
  rowCount?: number;
  /** Its bodies and its footer. */
  children: ReactNode;
};

export function Table({ label, className = "table", heads, rowCount, children }: Props) {
  return (
    <ScrollRegion label={label}>
      <table className={className} aria-rowcount={rowCount}>
        <thead>
          <tr>
            {heads.map((head) => {
              const { name, isUnseen, namesRows: _, content = name, ...rest } = partsOf(head);
              return (
                <th key={name} scope="col" {...rest}>
                  {isUnseen ? <span className="visually-hidden">{name}</span> : content}
                </th>
              );
            })}
          </tr>
        </thead>
        {children}
      </table>
    </ScrollRegion>
  );
}

type Look = { className?: string | undefined; title?: string | undefined };

/** A header, a cell for a row, and the cell's look if it differs from the header's. */
export type Column<Row> = readonly [
  head: Head,
  cell: (row: Row) => ReactNode,
  look?: string | ((row: Row) => Look),
];

type RowTableProps<Row> = {
  label: string;
  className?: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** The columns; `false` is skipped. */
  columns: readonly (Column<Row> | false)[];
};

/** A table by its columns. On narrow screens, its rows are cards. */
export function RowTable<Row>({ label, className = "table", rows, keyOf, columns }: RowTableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <Table label={label} className={`${className} cards`} heads={shown.map(([head]) => head)}>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {shown.map(([head, cell, look]) => {
              const { name, className, isUnseen, namesRows } = partsOf(head);
              const own = typeof look === "function" ? look(row) : { className: look ?? className };
              return namesRows ? (
                <th key={name} scope="row" {...own}>
                  {cell(row)}
                </th>
              ) : (
                <td key={name} {...own} {...(!isUnseen && { "data-label": name })}>
                  {cell(row)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

type TableSectionProps<Row> = Omit<RowTableProps<Row>, "label"> & {
  title: string;
  tools?: ReactNode;
  note?: string | false;
};

/** A section with a table, dense by default; nothing without rows. */
export function TableSection<Row>({ title, tools, note = false, ...table }: TableSectionProps<Row>) {
  if (table.rows.length === 0) return null;
  return (
    <Section title={title} tools={tools}>
      <RowTable label={title} className="table table-dense" {...table} />
      {note !== false && <p className="section-note">{note}</p>}
    </Section>
  );
}

export function partsOf(head: Head): Exclude<Head, string> {
  return typeof head === "string" ? { name: head } : head;
}
