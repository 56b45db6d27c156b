/** What the page draws as tables and as CSV. */
import type { SizeProfile } from "@/api/types";
import type { ChartTable } from "@/components/chart/ChartFrame";
import { ascending } from "@/lib/collections";
import { figureOf, type MeasuredLine } from "@/lib/sweep";
import { formatBytes, formatCount, formatNs, formatShare } from "@/lib/units";
import { barsOf, shareBelow } from "./data";

/** The buckets as they were published, and what of all messages is in them. */
export function trafficTable(profile: SizeProfile): ChartTable {
  return {
    fileName: `${profile.slug}-sizes`,
    columns: [
      { label: "from", csvName: "from_bytes", number: true },
      { label: "to", csvName: "to_bytes", number: true },
      { label: "messages", csvName: "count", number: true },
      { label: "share", csvName: "share", number: true },
      { label: "not larger", csvName: "cumulative_share", number: true },
    ],
    rows: () =>
      barsOf(profile).map(({ from, to, count, cumulative }) => ({
        key: String(from),
        cells: [
          `${formatCount(from)} B`,
          `${formatCount(to - 1)} B`,
          formatCount(count),
          formatShare(count / profile.sample_count),
          formatShare(cumulative),
        ],
        csv: [from, to - 1, count, count / profile.sample_count, cumulative],
      })),
  };
}

/** The medians of the lines by size, and what of all messages is smaller. */
export function latencyTable(fileName: string, profile: SizeProfile, lines: MeasuredLine[]): ChartTable {
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  return {
    fileName,
    columns: [
      { label: "message", csvName: "message_bytes", number: true },
      { label: "smaller messages", csvName: "share_below", number: true },
      { label: "line", csvName: "line", number: false },
      { label: "p50", csvName: "latency_ns_p50", number: true },
      { label: "comparable", csvName: "not_compared_because", number: false },
    ],
    rows: () =>
      points
        .map((entry) => ({ ...entry, p50: figureOf(entry, "p50") ?? 0, share: shareBelow(profile, entry.x) }))
        .sort((a, b) => ascending(a.x, b.x) || ascending(a.p50, b.p50))
        .map(({ label, x, apart, p50, share }) => ({
          key: `${label} ${x}`,
          cells: [
            formatBytes(x),
            formatShare(share),
            label,
            formatNs(p50),
            apart === null ? "yes" : apart === "lossy" ? "no, lossy" : "no, another environment",
          ],
          csv: [x, share, label, p50, apart],
        })),
  };
}
