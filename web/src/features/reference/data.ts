/** Layout of published tables; some pivot file rows into cells. Pure. */
import type { Reference } from "@/api/types";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { formatBytes } from "@/lib/units";
import type { PublishedRow } from "./ours";

type Unit = Reference["columns"][number]["unit"];

type ShownColumn = { key: string; label: string; isNumber: boolean; unit: Unit };

type ShownRow = { cells: (string | number | null)[]; of: PublishedRow[] };

export type ShownTable = { columns: ShownColumn[]; rows: ShownRow[] };

/** How to pivot a file: one row per `rows`, one column per `across`. */
type Layout = { rows: string[]; across: string[]; value: string };

const LAYOUTS: Record<string, Layout> = {
  "chromium-mach-vs-fifo": { rows: ["message_bytes"], across: ["host", "transport"], value: "p98_us" },
  "libipc-macos-backends": {
    rows: ["methodology", "topology", "peers"],
    across: ["backend", "waiters_fix"],
    value: "us_per_message",
  },
};

/** The column that splits a publication into table sets. */
const SET_COLUMNS: Record<string, string> = { "libipc-macos-backends": "methodology" };

const UNIT_NAMES = { us: "µs", per_second: "per s", bytes: "bytes", percent: "%" };

/** The rows of the file by the names of their columns. */
export function publishedRows({ columns, rows }: Pick<Reference, "columns" | "rows">): PublishedRow[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place] ?? null])));
}

/** The table sets of a publication; empty if it has one table. */
export function setsOf(reference: Reference): string[] {
  const column = SET_COLUMNS[reference.slug];
  if (column === undefined) return [];
  return distinct(publishedRows(reference).map((row) => String(row[column])));
}

export function rowsOfSet(reference: Reference, set: string | undefined): PublishedRow[] {
  const column = SET_COLUMNS[reference.slug];
  const rows = publishedRows(reference);
  return column === undefined || set === undefined ? rows : rows.filter((row) => row[column] === set);
}

/** A publication's table: pivoted if it has a layout, otherwise as in its file. */
export function shownTable(reference: Reference, rows: PublishedRow[]): ShownTable {
  const layout = LAYOUTS[reference.slug];
  const known = new Map(reference.columns.map((column) => [column.name, column]));
  const isLaidOut = layout !== undefined && [...layout.rows, layout.value].every((name) => known.has(name));
  return isLaidOut ? laidOut(reference, rows, layout) : asPrinted(reference, rows);
}

function asPrinted({ columns }: Reference, rows: PublishedRow[]): ShownTable {
  return {
    columns: columns.map(({ name, is_number, unit }) => ({
      key: name,
      label: columnName(name, unit),
      isNumber: is_number,
      unit,
    })),
    rows: rows.map((row) => ({ cells: columns.map(({ name }) => row[name] ?? null), of: [row] })),
  };
}

function laidOut({ columns }: Reference, rows: PublishedRow[], layout: Layout): ShownTable {
  const of = (name: string) => columns.find((column) => column.name === name);
  const acrossKey = (row: PublishedRow) =>
    layout.across.flatMap((name) => (row[name] == null ? [] : [String(row[name])])).join(", ");
  const across = distinct(rows.map(acrossKey));
  const unit = of(layout.value)?.unit ?? null;
  const groups = groupBy(rows, (row) => layout.rows.map((name) => row[name]).join(" "));
  return {
    columns: [
      ...layout.rows.map((name) => ({
        key: name,
        label: columnName(name, of(name)?.unit ?? null),
        isNumber: of(name)?.is_number ?? false,
        unit: of(name)?.unit ?? null,
      })),
      ...across.map((key) => ({ key, label: `${key} [${unitName(unit)}]`, isNumber: true, unit })),
    ],
    rows: [...groups.values()].map((own) => ({
      cells: [
        ...layout.rows.map((name) => own[0][name] ?? null),
        ...across.map((column) => own.find((row) => acrossKey(row) === column)?.[layout.value] ?? null),
      ],
      of: own,
    })),
  };
}

/** A published cell as printed; sizes with their unit. */
export function cellText(cell: string | number | null, unit: Unit): string {
  if (cell === null) return "not published";
  if (typeof cell === "string") return cell;
  if (unit === "bytes") return formatBytes(cell);
  // Percentages are published with one decimal.
  const minimumFractionDigits = unit === "percent" ? 1 : 0;
  return cell.toLocaleString("en", { minimumFractionDigits, maximumFractionDigits: 6 });
}

export function publishedSizes(rows: PublishedRow[]) {
  return [...groupBy(rows, ({ host, transport }) => `${transport}, ${host}`).entries()].map(
    ([label, own]) => ({
      label,
      points: own
        .flatMap(({ message_bytes, p98_us }) =>
          typeof message_bytes === "number" && typeof p98_us === "number"
            ? [{ message_bytes, value: p98_us * 1000 }]
            : [],
        )
        .sort((a, b) => ascending(a.message_bytes, b.message_bytes)),
    }),
  );
}

/** Published lines of time per message by members, without those that time attempts. */
export function publishedScaling(rows: PublishedRow[], topology: string) {
  const own = rows.filter((row) => row.topology === topology && row.backend !== "rust");
  const nameOf = ({ backend, waiters_fix }: PublishedRow) =>
    waiters_fix == null ? String(backend) : `${backend}, ${waiters_fix} the fix`;
  return [...groupBy(own, nameOf).entries()].map(([label, entries]) => ({
    label,
    points: entries
      .flatMap(({ peers, us_per_message }) =>
        typeof peers === "number" && typeof us_per_message === "number"
          ? [{ members: peers, time_ns: us_per_message * 1000, isOversubscribed: false }]
          : [],
      )
      .sort((a, b) => ascending(a.members, b.members)),
  }));
}

function columnName(name: string, unit: Unit): string {
  const words = name.replace(/_(us|bytes|percent|per_s)$/, "").replaceAll("_", " ");
  return unit === null || unit === "bytes" ? words : `${words} [${unitName(unit)}]`;
}

function unitName(unit: Unit): string {
  return unit === null ? "" : UNIT_NAMES[unit];
}
