/** The traits of series as columns: transport, pattern, size and so on. Pure. */
import type { SeriesSummary } from "@/api/types";
import {
  benchmarkName,
  byParameters,
  caseName,
  endsOf,
  parameterNames,
  parametersOf,
  sizeName,
} from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { isImported, toolName } from "@/lib/imports";
import { distinguishing } from "@/lib/methodology";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import { orderOf, TRAITS, type Trait } from "./search";

export const TRAIT_NAMES: Record<Trait, string> = {
  transport: "Transport",
  benchmark: "Benchmark",
  pattern: "Pattern",
  size: "Size",
  mode: "Mode",
  placement: "Placement",
  parameters: "Parameters",
  machine: "Machine",
};

/** A series, or a result of one. */
export type Described = Pick<SeriesSummary, "transport" | "case" | "methodology"> & {
  machine?: string;
  /** Its parameters in words, if they depend on rows of other lists. */
  parameters?: string[];
};

/** A row with the texts of its traits; empty if a trait does not apply. */
export type Entry<Row> = { row: Row; of: Described; texts: Record<Trait, string> };

export type List<Row> = {
  entries: Entry<Row>[];
  /** The traits that differ between rows. */
  different: Trait[];
  /** The traits of the columns, at least one. */
  shown: Trait[];
  /** Texts that all rows share and no column repeats. */
  common: string[];
};

/** Describes rows. The traits of columns are the selected ones, by default those that differ, also in rows to come. */
export function listOf<Row>(
  rows: readonly Row[],
  describe: (row: Row) => Described,
  columns?: string,
  varied: readonly Trait[] = [],
): List<Row> {
  const described = rows.map(describe);
  const alike = groupBy(described, keyOf);
  const parts = described.map((of) => of.parameters ?? partsOf(of, alike.get(keyOf(of)) ?? []));
  const [first = [], ...others] = parts;
  const isList = others.length > 0;
  const shared = isList ? first.filter((part) => others.every((ofRow) => ofRow.includes(part))) : [];
  const entries = rows.map((row, index): Entry<Row> => {
    const of = described[index] as Described;
    const own = parts[index]?.filter((part) => !shared.includes(part)) ?? [];
    return { row, of, texts: textsOf(of, own) };
  });
  const different = TRAITS.filter((trait) => {
    const known = textsIn(entries, trait);
    return varied.includes(trait) || known.length > (isList ? 1 : 0);
  });
  const selected = columns?.split(".") ?? different;
  const shown = TRAITS.filter((trait) => selected.includes(trait));
  const same = TRAITS.filter((trait) => !different.includes(trait) && !shown.includes(trait));
  const common = same.flatMap((trait) => textsIn(entries, trait));
  return {
    entries,
    different,
    shown: shown.length > 0 ? shown : ["transport"],
    common: [...common, ...shared],
  };
}

/** The different texts of a trait. */
function textsIn<Row>(entries: readonly Entry<Row>[], trait: Trait): string[] {
  return distinct(entries.flatMap(({ texts }) => texts[trait] || []));
}

function textsOf({ transport, case: kase, machine = "" }: Described, own: string[]): Record<Trait, string> {
  const benchmark = benchmarkName(kase);
  const ours = (text: string) => (benchmark === null ? text : "");
  return {
    transport: isImported({ transport }) ? toolName(transport) : transport.slug,
    benchmark: benchmark ?? "",
    pattern: ours(scenarioName(kase.scenario)),
    size: ours(sizeName(kase)),
    mode: ours(modeName(kase.mode, endsOf(kase))),
    placement: ours(placementName(kase.placement)),
    parameters: own.join(", "),
    machine,
  };
}

function partsOf({ case: kase, methodology }: Described, alike: readonly Described[]): string[] {
  return [
    ...(benchmarkName(kase) === null ? parameterNames(kase) : []),
    ...(methodology.probe == null ? [] : [`probe ${methodology.probe}`]),
    ...distinguishing(
      methodology,
      alike.map((other) => other.methodology),
    ),
  ];
}

function keyOf({ machine, transport, case: kase }: Described): string {
  return `${machine} ${transport.slug} ${caseName(kase)}`;
}

/** A column that is not a trait; `null` is always last. */
type Ordered<Row> = { key: string; order?: (row: Row) => number | null };

/** The entries in the selected order; unknown columns keep the given one. */
export function sorted<Row>(
  entries: readonly Entry<Row>[],
  sort: string | undefined,
  columns: readonly Ordered<Row>[],
): readonly Entry<Row>[] {
  const order = orderOf(sort);
  if (order === null) return entries;
  const sign = order.isDescending ? -1 : 1;
  const trait = TRAITS.find((candidate) => candidate === order.key);
  if (trait !== undefined) return entries.toSorted((a, b) => sign * byTrait(trait, a, b));
  const ofRow = columns.find(({ key }) => key === order.key)?.order;
  if (ofRow === undefined) return entries;
  const valued = entries.map((entry) => ({ entry, value: ofRow(entry.row) }));
  return valued
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return sign * ascending(a, b);
    })
    .map(({ entry }) => entry);
}

function byTrait<Row>(trait: Trait, a: Entry<Row>, b: Entry<Row>): number {
  const byText = ascending(a.texts[trait], b.texts[trait]);
  if (trait === "size") return a.of.case.message_bytes - b.of.case.message_bytes || byText;
  if (trait === "parameters") return byParameters(parametersOf(a.of.case), parametersOf(b.of.case)) || byText;
  return byText;
}

/** A row by the texts of its columns, in words: `pipe, 4 KiB, same CPU`. */
export function entryName<Row>({ texts }: Entry<Row>, shown: readonly Trait[]): string {
  return shown.flatMap((trait) => texts[trait] || []).join(", ");
}
