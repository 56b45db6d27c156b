/** Where real traffic and measured latency meet. Pure. */
import type { SizeProfile } from "@/api/types";
import type { SizeBar } from "@/components/chart/SizeHistogramChart";
import type { Answer, Change } from "@/lib/fastest";
import { intervalText, sizeOf } from "@/lib/statistics";
import { figureOf, type MeasuredLine } from "@/lib/sweep";
import { formatNs, shareOfAll, unbroken } from "@/lib/units";

/** The share of messages that the page's sentence is about. */
const MOST = 0.9;

/** The scenario that the page sets traffic beside: a message and its answer. */
export const SCENARIO = "roundtrip";

/** The profile as bars; a bucket ends where sizes begin that are not in it. */
export function barsOf({ buckets, sample_count }: SizeProfile): SizeBar[] {
  let sum = 0;
  return buckets.map(({ from_bytes, to_bytes, count }) => {
    sum += count;
    return { from: from_bytes, to: to_bytes + 1, count, cumulative: sum / sample_count };
  });
}

/**
 * The share of messages smaller than a size. Within a bucket every size is taken to be as frequent as any other: only the
 * buckets were published.
 */
export function shareBelow({ buckets, sample_count }: SizeProfile, bytes: number): number {
  const below = buckets.reduce((sum, { from_bytes, to_bytes, count }) => {
    const part = (bytes - from_bytes) / (to_bytes + 1 - from_bytes);
    return sum + count * Math.min(1, Math.max(0, part));
  }, 0);
  return below / sample_count;
}

/** The page's sentence: under which size most messages are. It ends with a bucket, so nothing is assumed. */
export function headlineOf(profile: SizeProfile): string {
  const bars = barsOf(profile);
  const bar = bars.find(({ cumulative }) => cumulative >= MOST);
  if (bar === undefined) return "No messages were counted";
  const size = bar.to < 1024 ? `${bar.to} bytes` : sizeOf(bar.to);
  return `${unbroken(shareOfAll(bar.cumulative))} of messages are under ${unbroken(size)}`;
}

/** What share of the traffic is below each size at which another line becomes the fastest. */
export function meetingTexts(profile: SizeProfile, answer: Answer, machine: string): string[] {
  const [first, ...others] = answer.stretches;
  if (first !== undefined && others.length === 0) {
    return [
      `Over all measured sizes ${first.line.label} is the fastest on ${machine}, or equal to the fastest.`,
    ];
  }
  return answer.changes.map((change) => meetingText(profile, change, machine));
}

/** The medians at the measured size that is nearest to one, the fastest first, in a few words. */
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
  return `Fastest at ${unbroken(sizeOf(nearest))}, the nearest measured: ${fastest.join(", ")}.`;
}

/** What share of messages a size leaves below it. */
export function trafficNote(profile: SizeProfile, bytes: number): string {
  return `${shareText(shareBelow(profile, bytes))} of messages are smaller.`;
}

function meetingText(profile: SizeProfile, { before, after, crossing }: Change, machine: string): string {
  if (crossing === null) {
    const size = unbroken(sizeOf(after.first));
    return `${shareText(shareBelow(profile, after.first))} of these messages are smaller than ${size}, from which ${after.line.label} was the fastest on ${machine}; up to ${unbroken(sizeOf(before.last))} it was ${before.line.label}.`;
  }
  const shares = [crossing.from, crossing.to].flatMap((bound) =>
    bound === null ? [] : [shareText(shareBelow(profile, bound))],
  );
  const range =
    shares.length === 2 && shares[0] !== shares[1] ? ` (${shares.join(" to ")} within the interval)` : "";
  return `${shareText(shareBelow(profile, crossing.x))} of these messages are smaller than the ${unbroken(intervalText(crossing))} from which ${after.line.label} is faster than ${before.line.label} on ${machine}${range}.`;
}

function shareText(share: number): string {
  if (share >= 1) return "All";
  return share <= 0 ? "None" : unbroken(shareOfAll(share).replace("> ", "More than "));
}
