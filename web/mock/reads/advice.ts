/** Advice: a ranking from the medians of round trips, straight between two sizes. The server takes whole distributions. */
import type { Advice, AdviceGroup, RankedTransport } from "@/api/types";
import { type Mocks, Refusal } from "../endpoint";
import type { MockSeries } from "../world/series";
import type { World } from "../world/world";
import { published } from "./published";

type Query = {
  [Name in "profile" | "sizes" | "machine" | "placement" | "mode" | "by" | "rate_per_second"]?: string;
};
type Bucket = Advice["sizes"]["buckets"][number];
type By = Advice["by"];

/** What a message costs, for the columns that no series of the mock has. */
const CPU_SHARE: Record<string, number> = { "ring-spin": 2, "ring-futex": 0.9 };
const WAKES: Record<string, number> = { "ring-spin": 0, "ring-futex": 1.2 };
/** By how much a figure is larger than the median. */
const OVER_MEDIAN: Record<By, number> = { p50: 1, p98: 1.42, p99: 1.63, mean: 1.08 };
/** Half an interval of a ratio: what is nearer to the first cannot be told from it. */
const SWAY = 0.06;
const FACTORS = [0.5, 0.25, 0.125, 0.0625, 2, 4, 8, 16, 32, 64];

export const advice = {
  "/api/v1/projects/{project}/advice": (world, { query }) => answer(world, query),
} satisfies Partial<Mocks<"get">>;

function answer(world: World, query: Query): Advice {
  const slug = query.sizes === undefined ? (query.profile ?? "chromium-ipc") : null;
  const buckets = slug === null ? parsed(query.sizes ?? "") : profileOf(slug);
  const by = (query.by ?? "p50") as By;
  const groups = placesOf(world, query).map((series) => groupOf(world, series, buckets, query));
  return {
    sizes: {
      profile: slug,
      text: buckets.map(({ from_bytes, to_bytes, count }) => `${from_bytes}-${to_bytes}:${count}`).join(","),
      message_count: buckets.reduce((sum, { count }) => sum + count, 0),
      buckets,
    },
    by,
    assumptions: [
      "Within a bucket every size is as frequent as any other.",
      "Between two measured sizes a time goes straight from one to the other.",
      "Messages shorter than the shortest that was measured take as long as it.",
    ],
    groups,
  };
}

function parsed(text: string): Bucket[] {
  return text.split(",").map((part) => {
    const match = /^(\d+)(?:-(\d+))?:(\d+)$/.exec(part);
    if (match === null) throw new Refusal(422, "invalid-sizes", "It is not understood", `sizes: ${part}`);
    const [, from, to, count] = match.map(Number);
    return { from_bytes: from ?? 0, to_bytes: Number.isNaN(to) ? (from ?? 0) : (to ?? 0), count: count ?? 0 };
  });
}

function profileOf(slug: string): Bucket[] {
  const { size_profiles } = published["/api/v1/size-profiles"]();
  const profile = size_profiles.find((entry) => entry.slug === slug);
  if (profile === undefined) {
    throw new Refusal(404, "unknown-profile", "It does not exist", `There is no size profile ${slug}.`);
  }
  return profile.buckets;
}

/** The series of round trips, by machine and placement. */
function placesOf(world: World, query: Query): MockSeries[][] {
  const places = new Map<string, MockSeries[]>();
  for (const series of world.series) {
    const { machine, case: kase } = series.summary;
    if (kase.scenario !== "roundtrip" || series.isImported || series.unsupported !== null) continue;
    if (query.machine !== undefined && query.machine !== machine) continue;
    if (query.placement !== undefined && query.placement !== kase.placement) continue;
    const key = `${machine} ${kase.placement}`;
    places.set(key, [...(places.get(key) ?? []), series]);
  }
  return [...places.values()];
}

/** What was measured of one transport: medians by size. */
type Line = { series: MockSeries; sizes: RankedTransport["measured"] };

function groupOf(world: World, series: MockSeries[], buckets: Bucket[], query: Query): AdviceGroup {
  const lines = linesOf(world, series);
  const order = ranked(lines, buckets);
  const [first, second] = order;
  const { machine, case: kase } = series[0]?.summary ?? { machine: "", case: undefined };
  const ranking = order.map(({ line, ns }): RankedTransport => {
    const own = lines[line] as Line;
    const { slug } = own.series.summary.transport;
    const ratio = ns / (first?.ns ?? ns);
    const isCounted = slug !== "tcp";
    const cpu_ns = Math.round(ns * (CPU_SHARE[slug] ?? 0.8));
    const wakes = WAKES[slug] ?? 2;
    const rate = Number(query.rate_per_second ?? 0);
    return {
      transport: own.series.summary.transport,
      told_apart: { receive: receiveOf(slug) },
      receive: receiveOf(slug),
      latency_ns: {
        mean: ns * OVER_MEDIAN.mean,
        p50: ns,
        p98: ns * OVER_MEDIAN.p98,
        p99: ns * OVER_MEDIAN.p99,
      },
      cpu_ns_per_message: isCounted ? cpu_ns : null,
      wakes_per_message: isCounted ? wakes : null,
      cpus: rate > 0 && isCounted ? (cpu_ns * rate) / 1e9 : null,
      wakes_per_second: rate > 0 && isCounted ? wakes * rate : null,
      behind_first:
        line === first?.line
          ? null
          : { ratio, low: ratio - SWAY, high: ratio + SWAY, is_sure: ratio > 1 + SWAY },
      below_measured_share: shareBelow(buckets, own.sizes[0]?.message_bytes ?? 0),
      above_measured_share: 0,
      measured: own.sizes,
    };
  });
  const title = (place: number | undefined) => lines[place ?? -1]?.series.summary.transport.title ?? "";
  const us = ((first?.ns ?? 0) / 1000).toFixed(2);
  const behind = ((second?.ns ?? 0) / (first?.ns ?? 1)).toFixed(2);
  return {
    machine,
    environment_id: 1,
    does: { scenario: "roundtrip", mode: kase?.mode ?? "", placement: kase?.placement ?? "", peers: "1" },
    oversubscribed: false,
    answer: `${title(first?.line)}: ${us} µs at the median, there and back. Next is ${title(second?.line)}, which takes ${behind} times as long.`,
    ranking,
    not_ranked: series
      .filter(({ summary }) => summary.transport.slug === "udp" && summary.case.message_bytes === 16)
      .map(({ summary }) => ({
        transport: summary.transport,
        told_apart: { receive: "block" },
        because: "It lost messages.",
      })),
    crossovers: crossoversOf(lines, order),
    would_change: FACTORS.flatMap((factor) => {
      const other = ranked(lines, longer(buckets, factor))[0];
      const place = order.findIndex(({ line }) => line === other?.line);
      return place > 0 ? [{ factor, place }] : [];
    }).filter(
      ({ factor }, index, all) => all.findIndex((entry) => entry.factor > 1 === factor > 1) === index,
    ),
  };
}

function receiveOf(slug: string): string {
  return slug === "ring-spin" ? "spin" : "block";
}

function linesOf(world: World, series: MockSeries[]): Line[] {
  const lines = new Map<string, Line>();
  for (const entry of series) {
    const { transport, case: kase, series_id } = entry.summary;
    const point = world.pointsOf(entry).at(-1);
    if (point === undefined || transport.slug === "udp") continue;
    const line = lines.get(transport.slug) ?? { series: entry, sizes: [] };
    const { p50, p99 } = point.latency_ns;
    line.sizes.push({
      message_bytes: kase.message_bytes,
      series_id,
      run_id: point.run_id,
      commit_sha: point.commit_sha,
      p50_ns: p50,
      p98_ns: Math.round(p50 * OVER_MEDIAN.p98),
      p99_ns: p99,
    });
    lines.set(transport.slug, line);
  }
  return [...lines.values()];
}

function ranked(lines: Line[], buckets: Bucket[]): { line: number; ns: number }[] {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  return lines
    .map((own, line) => ({
      line,
      ns: buckets.reduce(
        (sum, { from_bytes, to_bytes, count }) =>
          sum + (count / total) * nsAt(own, (from_bytes + to_bytes) / 2),
        0,
      ),
    }))
    .sort((a, b) => a.ns - b.ns);
}

/** The median at a size, straight between those that were measured. */
function nsAt({ sizes }: Line, bytes: number): number {
  const after = sizes.findIndex(({ message_bytes }) => message_bytes >= bytes);
  const [low, high] = [sizes[Math.max(0, after - 1)] ?? sizes.at(-1), sizes[after] ?? sizes.at(-1)];
  if (low === undefined || high === undefined) return 0;
  const span = high.message_bytes - low.message_bytes;
  const way = span === 0 ? 0 : (bytes - low.message_bytes) / span;
  return low.p50_ns + way * (high.p50_ns - low.p50_ns);
}

/** Where the first one meets others, at the sizes of the mock. */
function crossoversOf(lines: Line[], [first, ...others]: { line: number }[]): AdviceGroup["crossovers"] {
  const own = lines[first?.line ?? -1];
  if (own === undefined) return [];
  return others.flatMap(({ line }, index) => {
    const other = lines[line] as Line;
    const ahead = own.sizes.map(({ p50_ns }, size) => p50_ns < (other.sizes[size]?.p50_ns ?? 0));
    const at = ahead.findIndex((value, size) => size > 0 && value !== ahead[size - 1]);
    if (at < 1) return [];
    const [from, to] = [own.sizes[at - 1]?.message_bytes ?? 1, own.sizes[at]?.message_bytes ?? 1];
    const [below, above] = ahead[at - 1] ? [0, index + 1] : [index + 1, 0];
    const interval = { from: Math.round(from * 1.4), to: Math.round(to / 1.4) };
    return [{ below, above, x: Math.round(Math.sqrt(from * to)), ...interval }];
  });
}

function longer(buckets: Bucket[], factor: number): Bucket[] {
  return buckets.map(({ from_bytes, to_bytes, count }) => ({
    from_bytes: from_bytes * factor,
    to_bytes: to_bytes * factor,
    count,
  }));
}

function shareBelow(buckets: Bucket[], bytes: number): number {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  return buckets.reduce((sum, { to_bytes, count }) => sum + (to_bytes < bytes ? count / total : 0), 0);
}
