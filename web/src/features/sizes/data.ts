/** Size profiles and latency by size. Pure. */
import type { SizeProfile } from "@/api/types";
import type { Answer, Change } from "@/lib/fastest";
import { barsOf, intervalText, shareBelow, sizeOf } from "@/lib/statistics";
import { figureOf, type MeasuredLine } from "@/lib/sweep";
import { formatNs, shareOfAll, unbroken } from "@/lib/units";

/** The share of messages in the headline. */
const MOST = 0.9;

/** The scenario of the latency chart. */
export const SCENARIO = "roundtrip";

/** The headline: the size below which most messages are. It is the end of a bucket, so it is exact. */
export function headlineOf({ buckets }: SizeProfile): string {
  const bar = barsOf(buckets).find(({ cumulative }) => cumulative >= MOST);
  if (bar === undefined) return "No messages";
  const size = bar.to < 1024 ? `${bar.to} bytes` : sizeOf(bar.to);
  return `${unbroken(shareOfAll(bar.cumulative))} of messages are under ${unbroken(size)}`;
}

/** The share of messages below each size at which the fastest line changes. */
export function crossoverTexts({ buckets }: SizeProfile, answer: Answer, machine: string): string[] {
  const [first, ...others] = answer.stretches;
  if (first !== undefined && others.length === 0) {
    return [`${first.line.label} is fastest or tied at all measured sizes on ${machine}.`];
  }
  return answer.changes.map((change) => crossoverText(buckets, change, machine));
}

/** The fastest medians at the nearest measured size. */
export function latencyNote(lines: MeasuredLine[], bytes: number, count = 3): string {
  const sizes = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const distance = (x: number) => Math.abs(Math.log(x / Math.max(1, bytes)));
  const nearest = sizes.reduce<number | null>(
    (best, x) => (best === null || distance(x) < distance(best) ? x : best),
    null,
  );
  if (nearest === null) return "";
  const values = lines.flatMap(({ label, points }) =>
    points
      .filter(({ x, apart }) => x === nearest && apart === null)
      .map((point) => ({ label, value: figureOf(point, "p50") ?? 0 })),
  );
  const fastest = values
    .sort((a, b) => a.value - b.value)
    .slice(0, count)
    .map(({ label, value }) => `${label} ${unbroken(formatNs(value))}`);
  return `Fastest at ${unbroken(sizeOf(nearest))} (nearest measured): ${fastest.join(", ")}.`;
}

/** The share of messages below a size. */
export function trafficNote({ buckets }: SizeProfile, bytes: number): string {
  return `${shareText(shareBelow(buckets, bytes))} of messages are smaller.`;
}

function crossoverText(
  buckets: SizeProfile["buckets"],
  { before, after, crossing }: Change,
  machine: string,
): string {
  if (crossing === null) {
    const size = unbroken(sizeOf(after.first));
    return `${shareText(shareBelow(buckets, after.first))} of messages are smaller than ${size}. On ${machine}, ${before.line.label} is fastest up to ${unbroken(sizeOf(before.last))}, ${after.line.label} from ${size}.`;
  }
  const shares = [crossing.from, crossing.to].flatMap((bound) =>
    bound === null ? [] : [shareText(shareBelow(buckets, bound))],
  );
  const range = shares.length === 2 && shares[0] !== shares[1] ? ` (${shares.join(" to ")})` : "";
  return `${shareText(shareBelow(buckets, crossing.x))} of messages${range} are smaller than ${unbroken(intervalText(crossing))}, where ${after.line.label} overtakes ${before.line.label} on ${machine}.`;
}

function shareText(share: number): string {
  if (share >= 1) return unbroken("100 %");
  return share <= 0 ? unbroken("0 %") : unbroken(shareOfAll(share).replace("> ", "More than "));
}
