/** What the page shows as tables. */
import type { AdviceGroup } from "@/api/types";
import type { ChartTable } from "@/components/chart/ChartFrame";
import { ascending } from "@/lib/collections";
import { intervalText } from "@/lib/statistics";
import { formatCount, formatShare } from "@/lib/units";
import { barsOf, nameIn } from "./data";
import { type Bucket, countOf, shareShorter } from "./sizes";

/** The buckets, and what of all messages is in them. */
export function trafficTable(buckets: Bucket[], name: string): ChartTable {
  const total = Math.max(1, countOf(buckets));
  return {
    fileName: `${name}-sizes`,
    columns: [
      { label: "from", csvName: "from_bytes", number: true },
      { label: "to", csvName: "to_bytes", number: true },
      { label: "messages", csvName: "count", number: true },
      { label: "share", csvName: "share", number: true },
      { label: "not larger", csvName: "cumulative_share", number: true },
    ],
    rows: () => {
      const bars = barsOf(buckets);
      return buckets.map(({ from_bytes, to_bytes, count }, index) => {
        const cumulative = bars[index]?.cumulative ?? 0;
        return {
          key: String(from_bytes),
          cells: [
            `${formatCount(from_bytes)} B`,
            `${formatCount(to_bytes)} B`,
            formatCount(count),
            formatShare(count / total),
            formatShare(cumulative),
          ],
          csv: [from_bytes, to_bytes, count, count / total, cumulative],
        };
      });
    },
  };
}

/** The sizes at which two transports take as long, and what of the messages is shorter. */
export function crossingsTable(group: AdviceGroup, buckets: Bucket[]): ChartTable {
  const nameAt = (place: number) => {
    const ranked = group.ranking[place];
    return ranked === undefined ? "" : nameIn(group, ranked);
  };
  return {
    fileName: `${group.machine}-crossings`,
    columns: [
      { label: "size, 95 % interval", csvName: "message_bytes", number: true },
      { label: "faster below", csvName: "faster_below", number: false },
      { label: "faster above", csvName: "faster_above", number: false },
      { label: "messages below", csvName: "share_below", number: true },
    ],
    rows: () =>
      [...group.crossovers]
        .sort((a, b) => ascending(a.x, b.x))
        .map((crossing) => {
          const share = shareShorter(buckets, crossing.x);
          const [below, above] = [nameAt(crossing.below), nameAt(crossing.above)];
          return {
            key: `${below} ${above} ${crossing.x}`,
            cells: [intervalText(crossing), below, above, formatShare(share)],
            csv: [crossing.x, below, above, share],
          };
        }),
  };
}
