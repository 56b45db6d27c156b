/**
 * A list of series: traits as columns, then the values of a page. It sorts, groups and selects columns. Long lists keep
 * only the rows near the screen in the document.
 */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { TextButton } from "@/components/ui/controls";
import { type Head, partsOf, Table } from "@/components/ui/Table";
import { slugsOf, withToggled } from "@/lib/search";
import { formatCount } from "@/lib/units";
import { onRowKeyDown } from "@/lib/useRowKeys";
import { type Item, itemsOf, NO_TEXT, type Section } from "./items";
import { ListTools } from "./ListTools";
import { type ListChange, type ListSearch, nextSort, orderOf, type Trait } from "./search";
import { type Described, type Entry, entryName, type List, listOf, sorted, TRAIT_NAMES } from "./traits";

/** A column of a page. */
export type ValueColumn<Row> = {
  /** Its name in the address. */
  key: string;
  head: Head;
  cell: (row: Row, name: string) => ReactNode;
  look?: (row: Row) => { className?: string | undefined; title?: string | undefined };
  /** Its value in a sorted list; without it, the column does not sort. */
  order?: (row: Row) => number | null;
  /** Before the traits. */
  isFirst?: boolean;
};

/** Properties of the link in a row. */
export type RowLink = { children: ReactNode; "aria-label": string; "data-row-link": "" };

type Props<Row> = {
  label: string;
  /** Its name in the address, on a page with several lists. */
  name?: string;
  className?: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  // These three keep their identity, so that rows are rendered again only if they change.
  describe: (row: Row) => Described;
  link: (row: Row, props: RowLink) => ReactNode;
  columns: readonly ValueColumn<Row>[];
  /** Traits that differ between rows that are not loaded yet. */
  varied?: readonly Trait[];
  search: ListSearch;
  onSearch: (change: ListChange) => void;
  /** The trait to group by, unless the user selects another. */
  group?: Trait;
  /** Whether groups are closed by default. */
  isFolded?: boolean;
  /** About a group, next to its name. */
  about?: (rows: readonly Row[]) => ReactNode;
  sections?: readonly Section<Row>[];
  /** The name of the sections, for the choice of a group. */
  sectionName?: string;
  /** A full row below a row. */
  below?: (row: Row) => ReactNode;
  /** Called with the rows in their order, and the range of them that is in the document. */
  onShown?: (rows: readonly Row[], from: number, to: number) => void;
};

/** The mean width of a character, in digits. */
const DIGIT = 0.85;
/** Longer lists keep only the rows near the screen. */
const WHOLE_MAX = 200;
const OVERSCAN = 12;
const ROW_PX = 33;

export function SeriesTable<Row>(props: Props<Row>) {
  const { label, className = "table table-dense", rows, describe, columns, search, onSearch } = props;
  const { name, keyOf, varied, isFolded = false, sections, below, about, onShown } = props;
  const { columns: selected, sort, toggled } = search;
  const list = useMemo(() => listOf(rows, describe, selected, varied), [rows, describe, selected, varied]);
  const ordered = useMemo(() => sorted(list.entries, sort, columns), [list, columns, sort]);
  const usualGroup = useMemo(
    () => (props.group !== undefined && isRepeated(list, props.group) ? props.group : "none"),
    [list, props.group],
  );
  const group = search.group ?? usualGroup;
  const shown = useMemo(() => {
    const others = list.shown.filter((trait) => trait !== group);
    return others.length > 0 ? others : list.shown.slice(0, 1);
  }, [list, group]);
  const [first, last] = useMemo(() => {
    const isFirst = (column: ValueColumn<Row>) => column.isFirst === true;
    return [columns.filter(isFirst), columns.filter((column) => !isFirst(column))] as const;
  }, [columns]);
  // Scrolling renders the table again, with the same items.
  const items = useMemo(
    () => itemsOf(ordered, { name, keyOf, group, toggled: slugsOf(toggled), isFolded, sections, below }),
    [ordered, name, keyOf, group, toggled, isFolded, sections, below],
  );

  const heads = useMemo(() => {
    const order = orderOf(sort);
    const headOf = (key: string, head: Head): Head => ({
      ...partsOf(head),
      "aria-sort": order?.key !== key ? undefined : order.isDescending ? "descending" : "ascending",
      content: (
        <TextButton
          className="text-button sort-button"
          onClick={() => onSearch({ sort: nextSort(order, key) })}
        >
          {partsOf(head).content ?? partsOf(head).name}
        </TextButton>
      ),
    });
    const ofValue = ({ key, head, order: value }: ValueColumn<Row>) =>
      value === undefined ? head : headOf(key, head);
    const ofTrait = (trait: Trait) => headOf(trait, traitHead(trait, list));
    return [...first.map(ofValue), ...shown.map(ofTrait), ...last.map(ofValue)];
  }, [first, last, shown, list, sort, onSearch]);

  const body = useRef<HTMLTableSectionElement>(null);
  const { inSight, from, above_px, below_px, measure } = useSight(items, body);
  const latest = useRef(() => {});
  latest.current = () => {
    if (onShown === undefined) return;
    const all = items.flatMap((item) => (item.kind === "row" ? item.entry.row : []));
    const start = items.slice(0, from).filter(({ kind }) => kind === "row").length;
    onShown(all, start, start + inSight.filter(({ kind }) => kind === "row").length);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other rows are reported.
  useEffect(() => latest.current(), [from, inSight.length, ordered, group, toggled]);

  const isWhole = measure === null;
  const place = (index: number) =>
    isWhole ? {} : { ref: measure, "data-index": from + index, "aria-rowindex": from + index + 2 };
  return (
    <>
      <ListTools
        list={list}
        columns={columns}
        group={group}
        usualGroup={usualGroup}
        otherwise={props.sectionName}
        search={search}
        onSearch={onSearch}
      />
      <Table
        label={label}
        className={`${className} cards`}
        heads={heads}
        {...(!isWhole && { rowCount: items.length + 1 })}
      >
        <tbody ref={body} onKeyDown={onRowKeyDown}>
          <Spacer height_px={above_px} />
          {inSight.map((item, index) =>
            item.kind === "row" ? (
              <Row
                key={item.key}
                entry={item.entry}
                {...{ shown, first, last, link: props.link }}
                place={place(index)}
              />
            ) : (
              <tr key={item.key} className={item.kind === "note" ? "note" : "group"} {...place(index)}>
                {item.kind === "note" ? (
                  <>
                    {first.length > 0 && <td colSpan={first.length} />}
                    <td colSpan={heads.length - first.length}>{item.content}</td>
                  </>
                ) : (
                  <th scope="rowgroup" colSpan={heads.length}>
                    {item.kind === "section" ? (
                      item.title
                    ) : (
                      <>
                        <TextButton
                          className="text-button group-button"
                          aria-expanded={item.isOpen}
                          onClick={() => onSearch({ toggled: withToggled(toggled, item.slug) })}
                        >
                          {item.text || NO_TEXT}
                        </TextButton>
                        <span className="muted">
                          {formatCount(item.rows.length)}
                          {about !== undefined && <>; {about(item.rows)}</>}
                        </span>
                      </>
                    )}
                  </th>
                )}
              </tr>
            ),
          )}
          <Spacer height_px={below_px} />
        </tbody>
      </Table>
    </>
  );
}

/** Whether rows share values of a trait. Without, there would be as many groups as rows. */
function isRepeated<Row>({ entries }: List<Row>, trait: Trait): boolean {
  return new Set(entries.map(({ texts }) => texts[trait])).size < entries.length;
}

/** The header of a trait, as wide as its longest text, so that rows that come into sight change no width. */
function traitHead<Row>(trait: Trait, { entries }: List<Row>): Head {
  const longest = entries.reduce((most, { texts }) => Math.max(most, texts[trait].length), 0);
  return {
    name: TRAIT_NAMES[trait],
    // Parameters are long, and have several lines.
    style: trait === "parameters" ? {} : { minWidth: `${Math.ceil(longest * DIGIT)}ch` },
    ...(trait === "size" && { className: "number" }),
  };
}

/** The items near the screen; all of them in a short list. */
function useSight<Row>(items: Item<Row>[], body: { readonly current: HTMLElement | null }) {
  const isWhole = items.length <= WHOLE_MAX;
  const [top_px, setTop] = useState(0);
  useLayoutEffect(() => {
    if (isWhole || body.current === null) return;
    setTop(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    enabled: !isWhole,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: OVERSCAN,
    scrollMargin: top_px,
  });
  if (isWhole) return { inSight: items, from: 0, above_px: 0, below_px: 0, measure: null };
  const near = virtualizer.getVirtualItems();
  const [start, end] = [near[0], near.at(-1)];
  const from = start?.index ?? 0;
  return {
    inSight: items.slice(from, (end?.index ?? -1) + 1),
    from,
    above_px: (start?.start ?? top_px) - top_px,
    below_px: virtualizer.getTotalSize() - ((end?.end ?? top_px) - top_px),
    measure: virtualizer.measureElement,
  };
}

function Spacer({ height_px }: { height_px: number }) {
  return height_px <= 0 ? null : <tr className="spacer" style={{ height: height_px }} />;
}

const LOOKS: Partial<Record<Trait, string>> = { size: "trait number", parameters: "trait parameters" };

type RowProps<Row> = {
  entry: Entry<Row>;
  shown: readonly Trait[];
  first: readonly ValueColumn<Row>[];
  last: readonly ValueColumn<Row>[];
  link: (row: Row, props: RowLink) => ReactNode;
  place: { ref?: (row: HTMLTableRowElement | null) => void; "data-index"?: number };
};

function PlainRow<Row>({ entry, shown, first, last, link, place }: RowProps<Row>) {
  const { row, texts } = entry;
  const name = entryName(entry, shown);
  const valueCell = ({ key, head, cell, look }: ValueColumn<Row>) => {
    const { name: label, className, isUnseen } = partsOf(head);
    return (
      <td key={key} className={className} {...look?.(row)} {...(!isUnseen && { "data-label": label })}>
        {cell(row, name)}
      </td>
    );
  };
  const [title = "transport", ...others] = shown;
  return (
    <tr data-row="" {...place}>
      {first.map(valueCell)}
      <th scope="row" className={title === "size" ? "number" : undefined}>
        {link(row, { children: texts[title] || NO_TEXT, "aria-label": name, "data-row-link": "" })}
      </th>
      {others.map((trait) => (
        <td key={trait} className={LOOKS[trait] ?? "trait"} data-label={TRAIT_NAMES[trait]}>
          {texts[trait]}
        </td>
      ))}
      {last.map(valueCell)}
    </tr>
  );
}

/** Memoised: lists are long, and scrolling renders the table again. */
const Row = memo(
  PlainRow,
  (a, b) =>
    (["entry", "shown", "first", "last", "link"] as const).every((name) => a[name] === b[name]) &&
    a.place["data-index"] === b.place["data-index"],
) as typeof PlainRow;
