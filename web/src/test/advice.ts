/** Advice for tests: plausible wholes, of which a test names only what it is about. */
import type { AdviceGroup, RankedTransport } from "@/api/types";
import { aPoint, aTransport } from "./fixtures";

/** A transport with its median; p98, p99 and the mean are above it. */
export function aRankedTransport(
  slug: string,
  p50: number,
  change: Partial<RankedTransport> = {},
): RankedTransport {
  const { run_id, commit_sha } = aPoint();
  return {
    transport: aTransport(slug),
    told_apart: {},
    receive: "block",
    latency_ns: { mean: p50 * 1.1, p50, p98: p50 * 1.5, p99: p50 * 2 },
    cpu_ns_per_message: null,
    wakes_per_message: null,
    cpus: null,
    wakes_per_second: null,
    behind_first: null,
    below_measured_share: 0,
    above_measured_share: 0,
    measured: [16, 1024].map((message_bytes, index) => ({
      message_bytes,
      series_id: index + 1,
      run_id,
      commit_sha,
      p50_ns: p50,
      p98_ns: p50,
      p99_ns: p50,
    })),
    ...change,
  };
}

export function anAdviceGroup(ranking: RankedTransport[], change: Partial<AdviceGroup> = {}): AdviceGroup {
  return {
    machine: "lab-1",
    environment_id: 1,
    does: { scenario: "roundtrip", mode: "2proc", placement: "same-cpu" },
    oversubscribed: false,
    answer: "Pipe: 4.00 µs at the median, there and back. Next is TCP, which takes 2.25 times as long.",
    ranking,
    not_ranked: [],
    crossovers: [],
    would_change: [],
    ...change,
  };
}
