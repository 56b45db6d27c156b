/** The rows of a list as they follow each other, with headings of groups. Pure. */
import type { ReactNode } from "react";
import { groupBy } from "@/lib/collections";
import { slugOf } from "@/lib/search";
import type { Trait } from "./search";
import type { Entry } from "./traits";

/** Rows under a heading that a page defines. */
export type Section<Row> = {
  key: string;
  title: ReactNode;
  rows: readonly Row[];
  /** A note after the rows. */
  more?: ReactNode;
};

export type Item<Row> =
  | { kind: "group"; key: string; slug: string; text: string; rows: Row[]; isOpen: boolean }
  | { kind: "section"; key: string; title: ReactNode }
  | { kind: "row"; key: string; entry: Entry<Row> }
  | { kind: "note"; key: string; content: ReactNode };

type Options<Row> = {
  /** Part of the slugs of groups, on a page with several lists. */
  name?: string | undefined;
  keyOf: (row: Row) => string | number;
  group: Trait | "none";
  /** Groups that are not in their default state. */
  toggled: readonly string[];
  isFolded: boolean;
  /** Without a group. */
  sections?: readonly Section<Row>[] | undefined;
  below?: ((row: Row) => ReactNode) | undefined;
};

/** The name of a group whose rows do not have the trait. */
export const NO_TEXT = "none";

export function itemsOf<Row>(
  ordered: readonly Entry<Row>[],
  { name = "", keyOf, group, toggled, isFolded, sections, below }: Options<Row>,
): Item<Row>[] {
  const note = (key: string, content: ReactNode): Item<Row>[] =>
    content == null || content === false ? [] : [{ kind: "note", key, content }];
  const rowItems = (entry: Entry<Row>): Item<Row>[] => {
    const key = String(keyOf(entry.row));
    return [{ kind: "row", key, entry }, ...note(`below ${key}`, below?.(entry.row))];
  };
  if (group !== "none") {
    return [...groupBy(ordered, ({ texts }) => texts[group])].flatMap(([text, entries]): Item<Row>[] => {
      const slug = slugOf(`${name} ${text || NO_TEXT}`);
      const isOpen = isFolded === toggled.includes(slug);
      const rows = entries.map(({ row }) => row);
      const head: Item<Row> = { kind: "group", key: `group ${text}`, slug, text, rows, isOpen };
      return isOpen ? [head, ...entries.flatMap(rowItems)] : [head];
    });
  }
  if (sections === undefined) return ordered.flatMap(rowItems);
  return sections.flatMap(({ key, title, rows, more }): Item<Row>[] => {
    const own = new Set(rows);
    return [
      { kind: "section", key: `section ${key}`, title },
      ...ordered.filter(({ row }) => own.has(row)).flatMap(rowItems),
      ...note(`more ${key}`, more),
    ];
  });
}
