/** Answers of the API for tests: plausible wholes, of which a test names only what it is about. */
import type {
  CommitSummary,
  Methodology,
  Point,
  PointDetail,
  Repetition,
  RunDetail,
  RunResult,
  RunSummary,
  SeriesSummary,
} from "@/api/types";

export function aCommit(change: Partial<CommitSummary> = {}): CommitSummary {
  return {
    sha: "1".repeat(40),
    ordinal: 1,
    subject: "pool: reuse send buffers",
    author: "A. Author",
    committed_at: "2026-11-14T10:42:00Z",
    ...change,
  };
}

export function aPoint(change: Partial<Point> = {}): Point {
  return {
    run_id: "019aa8f0-5c1e-7b3a-9f00-000000000001",
    commit_sha: "1".repeat(40),
    commit_ordinal: 1,
    work_tree_modified: false,
    measured_at: "2026-11-14T11:00:00Z",
    environment_id: 1,
    latency_ns: latency(4000),
    count: 2000,
    sum_ns: 8_000_000,
    repetition_count: 10,
    failure_count: 0,
    disturbed_count: 0,
    repetition_p50_ns: { q1: 3900, median: 4000, q3: 4100 },
    bytes_per_second: null,
    attempted: 2000,
    accepted: 2000,
    delivered: 2000,
    lossy: false,
    ...change,
  };
}

/** Percentiles around a median. */
export function latency(p50: number): Point["latency_ns"] {
  return {
    min: p50 * 0.9,
    p25: p50 * 0.95,
    p50,
    p75: p50 * 1.05,
    p90: p50 * 1.1,
    p98: p50 * 1.5,
    p99: p50 * 2,
    p999: p50 * 4,
    max: p50 * 8,
  };
}

export function aSeries(
  change: Partial<Omit<SeriesSummary, "case" | "transport">> & {
    transport?: string;
    case?: Partial<SeriesSummary["case"]>;
  } = {},
): SeriesSummary {
  const { transport = "pipe", case: kase, ...rest } = change;
  return {
    series_id: 1,
    project: "libfoo",
    machine: "lab-linux-1",
    transport: aTransport(transport),
    case: {
      scenario: "roundtrip",
      message_bytes: 1024,
      peers: 1,
      mode: "2proc",
      placement: "same-cpu",
      ...kase,
    },
    methodology: aMethodology(),
    point_count: 1,
    latest_summary: null,
    latest: aPoint(),
    ...rest,
  };
}

export function aResult(
  change: Partial<Omit<RunResult, "case" | "transport">> & {
    transport?: string;
    case?: Partial<RunResult["case"]>;
  } = {},
): RunResult {
  const { transport = "pipe", case: kase, ...rest } = change;
  return {
    series_id: 1,
    transport: aTransport(transport),
    case: {
      scenario: "roundtrip",
      message_bytes: 1024,
      peers: 1,
      mode: "2proc",
      placement: "same-cpu",
      ...kase,
    },
    methodology: aMethodology(),
    point: aPoint(),
    summary: null,
    observed: anObserved(),
    counters: {},
    facts: {},
    failures: [],
    unsupported: null,
    ...rest,
  };
}

/** What repetitions went through when there is nothing to tell. */
export function anObserved(change: Partial<RunResult["observed"]> = {}): RunResult["observed"] {
  return {
    late: null,
    missed: null,
    cpu_ns_per_message: null,
    disturbed: [],
    deliveries: [],
    oversubscribed: false,
    ...change,
  };
}

export function aRunSummary(change: Partial<RunSummary> = {}): RunSummary {
  return {
    run_id: "019aa8f0-5c1e-7b3a-9f00-000000000001",
    project: "libfoo",
    machine: "lab-linux-1",
    commit: aCommit(),
    branch: "main",
    pull_request: null,
    work_tree_modified: false,
    preset: "quick",
    suite_version: "0.1.0",
    build: "release",
    order_seed: "7",
    started_at: "2026-11-14T11:00:00Z",
    finished_at: "2026-11-14T11:00:48Z",
    received_at: "2026-11-14T11:00:49Z",
    point_count: 1,
    unsupported_count: 0,
    failure_count: 0,
    ...change,
  };
}

export function aRun(change: Partial<RunDetail> = {}): RunDetail {
  return {
    run: aRunSummary(),
    environment_id: 1,
    environment: { stable: { "os.kernel": "6.12.4" }, conditions: {} },
    canaries: [],
    original: null,
    results: [],
    ...change,
  };
}

export function aRepetition(change: Partial<Repetition> = {}): Repetition {
  return {
    index: 0,
    p50_ns: 4000,
    p99_ns: 8000,
    min_ns: 3600,
    max_ns: 32_000,
    count: 200,
    attempted: 200,
    accepted: 200,
    delivered: 200,
    out_of_order: 0,
    corrupted: 0,
    ends: [],
    disturbed: [],
    ...change,
  };
}

export function aPointDetail(change: Partial<PointDetail> = {}): PointDetail {
  return { point: aPoint(), histogram: [], repetitions: [aRepetition()], ...change };
}

function aTransport(slug: string): SeriesSummary["transport"] {
  return { slug, title: slug, family: "pipe", semantics: "Bytes are copied in and out.", control: true };
}

function aMethodology(): Methodology {
  return {
    protocol_version: 1,
    send: "blocking",
    receive: "block",
    on_full: "wait",
    window: 1,
    batch: 1,
    clock: "clock-monotonic",
    warmup: 20,
    payload: "written and verified outside the timed section",
    storage: "touched-after-start",
  };
}
