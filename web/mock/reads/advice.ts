/** Advice: a ranking from the medians of round trips, straight between two sizes. The server takes whole distributions. */
import type { Advice, AdviceGroup, RankedLine } from "@/api/types";
import { type Mocks, Refusal } from "../endpoint";
import type { MockSeries } from "../world/series";
import type { World } from "../world/world";
import { published } from "./published";

type Path = "/api/v1/projects/{project}/advice";
type Query = { [Name in "profile" | "sizes" | "machine" | "placement" | "by" | "rate_per_second"]?: string };
type Bucket = Advice["sizes"]["buckets"][number];
type By = Advice["by"];

/** What a message costs, for the columns that no series of the mock has. */
const CPU_SHARE: Record<string, number> = { "ring-spin": 2, "ring-futex": 0.9 };
const SWITCHES: Record<string, number> = { "ring-spin": 0, "ring-futex": 1.2 };
/** By how much a figure is larger than the median. */
const OVER_MEDIAN: Record<By, number> = { p50: 1, p98: 1.42, p99: 1.63, mean: 1.08 };
/** Half an interval, in percent: what is nearer to the first cannot be told from it. */
const SWAY_PERCENT = 6;
const FACTORS = [0.5, 0.25, 0.125, 0.0625, 2, 4, 8, 16, 32, 64];

export const advice: Pick<Mocks<"get">, Path> = {
  "/api/v1/projects/{project}/advice": (world, { query }) => answer(world, query),
};

function answer(world: World, query: Query): Advice {
  const slug = query.sizes === undefined ? (query.profile ?? "chromium-ipc") : null;
  const buckets = slug === null ? parsed(query.sizes ?? "") : profileOf(world, slug);
  const by = (query.by ?? "p50") as By;
  const groups = placesOf(world, query).map((series) => groupOf(world, series, buckets, by, query));
  return {
    sizes: {
      text: buckets.map(({ from_bytes, to_bytes, count }) => `${from_bytes}-${to_bytes}:${count}`).join(","),
      message_count: buckets.reduce((sum, { count }) => sum + count, 0),
      min_bytes: buckets[0]?.from_bytes ?? 0,
      max_bytes: buckets.at(-1)?.to_bytes ?? 0,
      buckets,
    },
    profile: slug,
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

function profileOf(world: World, slug: string): Bucket[] {
  const mock = published["/api/v1/size-profiles"];
  const { size_profiles } = mock(world, { path: {}, query: {}, body: {} } as never) as {
    size_profiles: { slug: string; buckets: Bucket[] }[];
  };
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
type Line = { series: MockSeries; sizes: RankedLine["sizes"] };

function groupOf(world: World, series: MockSeries[], buckets: Bucket[], by: By, query: Query): AdviceGroup {
  const lines = linesOf(world, series);
  const [first, second] = ranked(lines, buckets);
  const { machine, case: kase } = series[0]?.summary ?? { machine: "", case: undefined };
  const ranking = ranked(lines, buckets).map(({ line, ns }): RankedLine => {
    const own = lines[line] as Line;
    const { slug } = own.series.summary.transport;
    const percent = 100 * (ns / (first?.ns ?? ns) - 1);
    const cpu_ns = Math.round(ns * (CPU_SHARE[slug] ?? 0.8));
    const rate = Number(query.rate_per_second ?? 0);
    const least = own.sizes[0]?.message_bytes ?? 0;
    return {
      line,
      transport: own.series.summary.transport,
      told_apart: { transport: slug },
      waits: slug === "ring-spin" ? "spins" : "blocks",
      latency_ns: {
        mean: ns * OVER_MEDIAN.mean,
        p50: ns,
        p98: ns * OVER_MEDIAN.p98,
        p99: ns * OVER_MEDIAN.p99,
      },
      cpu_ns_per_message: slug === "tcp" ? null : cpu_ns,
      switches_per_message: slug === "tcp" ? null : (SWITCHES[slug] ?? 2),
      cpu_share: rate === 0 || slug === "tcp" ? null : (cpu_ns * rate) / 1e9,
      behind_first:
        line === first?.line
          ? null
          : {
              percent,
              low: percent - SWAY_PERCENT,
              high: percent + SWAY_PERCENT,
              is_sure: percent > SWAY_PERCENT,
            },
      measured_bytes: { min: least, max: own.sizes.at(-1)?.message_bytes ?? 0 },
      below_measured_share: shareBelow(buckets, least),
      sizes: own.sizes,
    };
  });
  const name = (place: number | undefined) => lines[place ?? -1]?.series.summary.transport.slug ?? "nothing";
  const tail = second === undefined ? "" : `, ahead of ${name(second.line)}`;
  return {
    machine,
    os: "linux",
    placement: kase?.placement ?? "",
    mode: kase?.mode ?? "",
    scenario: "roundtrip",
    is_oversubscribed: false,
    answer: `On ${machine} ${name(first?.line)} comes first for these messages by ${by}${tail}.`,
    ranking,
    not_ranked: series
      .filter(({ summary }) => summary.transport.slug === "udp" && summary.case.message_bytes === 16)
      .map(({ summary }) => ({
        transport: summary.transport,
        told_apart: { transport: summary.transport.slug },
        because: "It lost messages: what was not delivered has no time.",
      })),
    crossovers: crossoversOf(lines, ranking),
    would_change: FACTORS.flatMap((factor) => {
      const other = ranked(lines, longer(buckets, factor))[0];
      return other === undefined || other.line === first?.line ? [] : [{ factor, line: other.line }];
    }).filter(
      ({ factor }, index, all) => all.findIndex((entry) => entry.factor > 1 === factor > 1) === index,
    ),
  };
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
      latency_ns: { p50, p98: Math.round(p50 * OVER_MEDIAN.p98), p99 },
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
  return low.latency_ns.p50 + way * (high.latency_ns.p50 - low.latency_ns.p50);
}

/** Where the first one meets others, at the sizes of the mock. */
function crossoversOf(lines: Line[], ranking: RankedLine[]): AdviceGroup["crossovers"] {
  const [first] = ranking;
  const own = lines[first?.line ?? -1];
  if (first === undefined || own === undefined) return [];
  return ranking.slice(1).flatMap(({ line }) => {
    const other = lines[line] as Line;
    const ahead = own.sizes.map(
      ({ latency_ns }, index) => latency_ns.p50 < (other.sizes[index]?.latency_ns.p50 ?? 0),
    );
    const place = ahead.findIndex((value, index) => index > 0 && value !== ahead[index - 1]);
    if (place < 1) return [];
    const [from, to] = [own.sizes[place - 1]?.message_bytes ?? 1, own.sizes[place]?.message_bytes ?? 1];
    const [below, above] = ahead[place - 1] ? [first.line, line] : [line, first.line];
    return [{ below, above, x: Math.sqrt(from * to), from: from * 1.4, to: to / 1.4 }];
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
