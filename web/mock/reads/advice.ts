/** Advice: a ranking by round trips of the mean size. The server uses whole distributions. */
import type { Advice, AdviceGroup } from "@/api/types";
import { groupBy } from "@/lib/collections";
import { anAdviceGroup, aRankedTransport } from "@/test/comparisons";
import { found, type Mocks, Refusal } from "../endpoint";
import type { MockSeries } from "../world/series";
import type { World } from "../world/world";
import { published } from "./published";

type Query = Partial<
  Record<"profile" | "sizes" | "machine" | "placement" | "by" | "rate_per_second", string>
>;
type Bucket = Advice["sizes"]["buckets"][number];

const CPU_SHARE: Record<string, number> = { "ring-spin": 2, "ring-futex": 0.9 };
const WAKES: Record<string, number> = { "ring-spin": 0, "ring-futex": 1.2 };
/** Half the interval of a ratio; closer ones are tied with the fastest. */
const SWAY = 0.06;

export const advice = {
  "/api/v1/projects/{project}/advice": (world, { query }): Advice => {
    const profile = query.sizes === undefined ? (query.profile ?? "chromium-ipc") : null;
    const buckets = profile === null ? parsed(query.sizes ?? "") : profileOf(profile);
    const places = groupBy(
      world.series.filter((series) => isAsked(series, query)),
      ({ summary }) => `${summary.machine} ${summary.case.placement}`,
    );
    return {
      sizes: {
        profile,
        text: buckets
          .map(({ from_bytes, to_bytes, count }) => `${from_bytes}-${to_bytes}:${count}`)
          .join(","),
        message_count: totalOf(buckets),
        buckets,
      },
      by: (query.by ?? "p50") as Advice["by"],
      assumptions: ["Within a bucket, all sizes are equally frequent."],
      groups: [...places.values()].flatMap((series) => {
        const usual = groupOf(world, series, buckets, query);
        const { ranking } = usual;
        // Transports measured with another methodology.
        const facts = { ...usual.case, on_full: "wait", warmup: "3" };
        return [usual, { ...usual, ranking: ranking.slice(0, 2), case: facts }];
      }),
    };
  },
} satisfies Partial<Mocks<"get">>;

const totalOf = (buckets: Bucket[]) => buckets.reduce((sum, { count }) => sum + count, 0);

function parsed(text: string): Bucket[] {
  return text.split(",").map((part) => {
    const match = /^(\d+)(?:-(\d+))?:(\d+)$/.exec(part);
    if (match === null) throw new Refusal(422, "invalid-sizes", "It is not understood", `sizes: ${part}`);
    const [, from = 0, to = Number.NaN, count = 0] = match.map(Number);
    return { from_bytes: from, to_bytes: Number.isNaN(to) ? from : to, count };
  });
}

function profileOf(slug: string): Bucket[] {
  const { size_profiles } = published["/api/v1/size-profiles"]();
  return found(
    size_profiles.find((entry) => entry.slug === slug),
    "profile",
    slug,
  ).buckets;
}

function isAsked({ summary, isImported, unsupported }: MockSeries, { machine, placement }: Query): boolean {
  const { case: kase } = summary;
  const isHere = summary.machine === (machine ?? summary.machine);
  const isPlaced = kase.placement === (placement ?? kase.placement);
  return kase.scenario === "roundtrip" && !isImported && unsupported === null && isHere && isPlaced;
}

function groupOf(world: World, series: MockSeries[], buckets: Bucket[], query: Query): AdviceGroup {
  const lines = groupBy(series, ({ summary }) => summary.transport.slug);
  const order = [...lines.values()]
    .map((line) => ({ line, ...line[0]?.summary, ns: nsOf(line, buckets) }))
    .filter(({ transport }) => transport?.slug !== "udp")
    .sort((one, other) => one.ns - other.ns);
  const [best, next] = order;
  const rate = Number(query.rate_per_second ?? 0);
  const ranking = order.map(({ line, transport, ns }, place) => {
    const slug = transport?.slug ?? "";
    const ratio = ns / (best?.ns ?? ns);
    const isCounted = slug !== "tcp";
    const [cpu, wakes] = [Math.round(ns * (CPU_SHARE[slug] ?? 0.8)), WAKES[slug] ?? 2];
    const receive = slug === "ring-spin" ? "spin" : "block";
    return aRankedTransport(slug, ns, {
      ...(transport && { transport }),
      distinguishing: { receive },
      receive,
      cpu_ns_per_message: isCounted ? cpu : null,
      wakes_per_message: isCounted ? wakes : null,
      cpus: rate > 0 && isCounted ? (cpu * rate) / 1e9 : null,
      wakes_per_second: rate > 0 && isCounted ? wakes * rate : null,
      behind_first:
        place === 0 ? null : { ratio, low: ratio - SWAY, high: ratio + SWAY, is_sure: ratio > 1 + SWAY },
      measured: line.flatMap((entry) => {
        const { series_id, case: kase, latest } = world.summaryOf(entry);
        if (latest === null) return [];
        const { p50: p50_ns, p98: p98_ns, p99: p99_ns } = latest.latency_ns;
        const { run_id, commit_sha } = latest;
        return { message_bytes: kase.message_bytes, series_id, run_id, commit_sha, p50_ns, p98_ns, p99_ns };
      }),
    });
  });
  const us = ((best?.ns ?? 0) / 1000).toFixed(2);
  const behind = ((next?.ns ?? 0) / (best?.ns ?? 1)).toFixed(2);
  const { mode = "", placement = "" } = best?.case ?? {};
  return anAdviceGroup(ranking, {
    machine: best?.machine ?? "",
    case: { scenario: "roundtrip", mode, placement, peers: "1" },
    answer: `${best?.transport?.title}: median round trip ${us} µs. Next: ${next?.transport?.title}, ${behind}x the time.`,
    not_ranked: (lines.get("udp") ?? []).slice(0, 1).map(({ summary: { transport } }) => ({
      transport,
      distinguishing: { receive: "block" },
      because: "Lossy.",
    })),
    crossovers: [{ below: 0, above: 1, x: 6200, from: 5700, to: 11_700 }],
    would_change: [{ factor: 16, place: 1 }],
  });
}

/** The time of a message of the mean size: times grow linearly with sizes. */
function nsOf(line: MockSeries[], buckets: Bucket[]): number {
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const bytes = buckets.reduce((sum, { from_bytes, to_bytes, count }) => {
    return sum + ((from_bytes + to_bytes) / 2) * (count / totalOf(buckets));
  }, 0);
  const [low, high] = [first, last].map(({ summary }) => summary.case.message_bytes) as [number, number];
  const slope_ns = (last.operation_ns - first.operation_ns) / (high - low);
  return (first.operation_ns + (bytes - low) * slope_ns) * first.machine.slowness;
}
