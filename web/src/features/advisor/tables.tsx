/** The tables of the advisor. */
import type { AdviceGroup } from "@/api/types";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { ascending } from "@/lib/collections";
import { intervalText } from "@/lib/statistics";
import { formatCount, formatShare } from "@/lib/units";
import { barsOf, nameAt } from "./data";
import { type Bucket, countOf, shareShorter } from "./sizes";

const bytesText = (bytes: number) => `${formatCount(bytes)} B`;

/** The buckets, with their shares. */
export function trafficTable(buckets: Bucket[], name: string): ChartTable {
  const total = Math.max(1, countOf(buckets));
  const bars = barsOf(buckets);
  const rows = () =>
    buckets.map((bucket, place) => ({ ...bucket, cumulative: bars[place]?.cumulative ?? 0 }));
  return tableOf(`${name}-sizes`, rows, [
    num("From", "from_bytes", ({ from_bytes }) => from_bytes, bytesText),
    num("To", "to_bytes", ({ to_bytes }) => to_bytes, bytesText),
    num("Messages", "count", ({ count }) => count, formatCount),
    num("Share", "share", ({ count }) => count / total, formatShare),
    num("Cumulative", "cumulative_share", ({ cumulative }) => cumulative, formatShare),
  ]);
}

/** Crossover sizes, with the share of smaller messages. */
export function crossingsTable(group: AdviceGroup, buckets: Bucket[]): ChartTable {
  const rows = () => group.crossovers.toSorted((a, b) => ascending(a.x, b.x));
  return tableOf(`${group.machine}-crossings`, rows, [
    num(
      "Size, 95 % CI",
      "message_bytes",
      ({ x }) => x,
      (_, crossing) => intervalText(crossing),
    ),
    word("Faster below", "faster_below", ({ below }) => nameAt(group, below)),
    word("Faster above", "faster_above", ({ above }) => nameAt(group, above)),
    num("Messages below", "share_below", ({ x }) => shareShorter(buckets, x), formatShare),
  ]);
}
