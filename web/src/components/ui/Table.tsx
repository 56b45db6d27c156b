/** A table that scrolls by itself where it is wider than the page, with the heads of its columns. */
import type { ComponentProps, ReactNode } from "react";
import { ScrollRegion } from "./states";

/** The head of a column: its name, or that with what else its cell has. */
export type Head =
  | string
  | ({ name: string; isUnseen?: boolean; namesRows?: boolean; content?: ReactNode } & Pick<
      ComponentProps<"th">,
      "className" | "title" | "aria-sort"
    >);

/** The head of a column of numbers. */
export const numeric = (name: string): Head => ({ name, className: "number" });

/** The head of the column that names the rows. */
export const rowHead = (name: string, className?: string): Head => ({
  name,
  namesRows: true,
  ...(className !== undefined && { className }),
});

/** The head of a column that is named for who does not see it: what is in it says enough to others. */
export const unseen = (name: string): Head => ({ name, isUnseen: true });

type Props = {
  label: string;
  className?: string;
  heads: readonly Head[];
  /** Its bodies, and its foot. */
  children: ReactNode;
};

export function Table({ label, className = "table", heads, children }: Props) {
  return (
    <ScrollRegion label={label}>
      <table className={className}>
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

/** A head, a row's cell, and that cell's look where it is not the head's. */
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
  /** Those that are there; `false` stands for one that is not. */
  columns: readonly (Column<Row> | false)[];
};

/** A table by its columns. */
export function RowTable<Row>({ label, className = "table", rows, keyOf, columns }: RowTableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <Table label={label} className={className} heads={shown.map(([head]) => head)}>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {shown.map(([head, cell, look]) => {
              const { name, className, namesRows } = partsOf(head);
              const own = typeof look === "function" ? look(row) : { className: look ?? className };
              return namesRows ? (
                <th key={name} scope="row" {...own}>
                  {cell(row)}
                </th>
              ) : (
                <td key={name} {...own}>
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

function partsOf(head: Head): Exclude<Head, string> {
  return typeof head === "string" ? { name: head } : head;
}
