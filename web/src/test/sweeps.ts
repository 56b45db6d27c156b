/** Sweeps for tests: plausible wholes, of which a test names only what it is about. */
import type { Methodology, SweepChart, SweepLine, SweepPoint } from "@/api/types";
import { aMethodology, aPoint, aTransport } from "./fixtures";

/** A line of a sweep: its median by the swept parameter, p90 and p99 a tenth and the whole of it above. */
export function aSweepLine(
  transport: string,
  medians: Record<number, number>,
  change: Partial<Omit<SweepLine, "transport" | "methodology">> & {
    methodology?: Partial<Methodology>;
    point?: Partial<SweepPoint>;
  } = {},
): SweepLine {
  const { methodology, point, ...rest } = change;
  return {
    transport: aTransport(transport),
    methodology: { ...aMethodology(), ...methodology },
    parameters: { mode: "2proc", peers: "1", placement: "same-cpu", scenario: "roundtrip" },
    told_apart: { transport },
    points: Object.entries(medians).map(([x, p50]) => ({
      x: Number(x),
      series_id: 1,
      run_id: aPoint().run_id,
      commit_sha: aPoint().commit_sha,
      commit_ordinal: 1,
      environment_id: 1,
      work_tree_modified: false,
      lossy: false,
      latency_ns: { p50, p90: p50 * 1.1, p99: p50 * 2 },
      repetition_p50_ns: { q1: p50 * 0.98, median: p50, q3: p50 * 1.02 },
      bytes_per_second: null,
      ...point,
    })),
    ...rest,
  };
}

export function aSweep(lines: SweepLine[], change: Partial<SweepChart> = {}): SweepChart {
  return {
    over: "message_bytes",
    commit: null,
    told_apart_by: ["transport"],
    lines,
    crossovers: [],
    ...change,
  };
}
