/** Mocked error rates. */
import type { ErrorRateList } from "../../src/api/types";

export const ERROR_RATES = "**/api/v1/projects/*/error-rates";
const COMPUTED_AT = "2026-11-24T10:00:00Z";

function share(count: number, of_count: number, low: number, high: number) {
  return { count, of_count, share: of_count === 0 ? null : count / of_count, interval: [low, high] };
}

const NONE = { count: 0, of_count: 0, share: null, interval: null };

function history(false_alarms: number) {
  const steps = [
    { change: 0.03, found: share(120, 400, 0.255, 0.347), median_delay_points: 24 },
    { change: 0.05, found: share(391, 400, 0.957, 0.99), median_delay_points: 9 },
    { change: 0.1, found: share(400, 400, 0.99, 1), median_delay_points: 6 },
    { change: 0.25, found: share(400, 400, 0.99, 1), median_delay_points: 5 },
  ];
  return { threshold: [0.01, 0.03], false_alarms: share(false_alarms, 120_000, 0, 0.000_031), steps };
}

const COMPARISONS = {
  false_verdicts: share(0, 800, 0, 0.0046),
  changes: [
    { change: 0.05, found: share(512, 800, 0.606, 0.673) },
    { change: 0.1, found: share(796, 800, 0.987, 0.999) },
  ],
  untested_count: 0,
};

const NO_DATA = {
  threshold: [0.01, 0.03],
  false_alarms: NONE,
  steps: [0.03, 0.05, 0.1, 0.25].map((change) => ({ change, found: NONE, median_delay_points: null })),
};

const MEASURED = { p50: history(0), p99: history(3), tail: history(6), comparisons: COMPARISONS };
const FALSE_COMPARISONS = share(1, 200, 0, 0.0275);

/** One class with data, and one with too few points and repetitions. */
export const RATES = {
  computed_at: COMPUTED_AT,
  total: { ...MEASURED, false_comparisons: FALSE_COMPARISONS },
  machines: ["lab-linux-1", "lab-mac-2"].map((machine) => ({
    machine,
    computed_at: COMPUTED_AT,
    false_comparisons: FALSE_COMPARISONS,
    classes: [
      { transport: "unix-stream", scenario: "roundtrip", series_count: 4, ...MEASURED },
      {
        transport: "memfd-remap",
        scenario: "stream",
        series_count: 2,
        p50: NO_DATA,
        p99: NO_DATA,
        tail: NO_DATA,
        comparisons: {
          false_verdicts: NONE,
          changes: [0.05, 0.1].map((change) => ({ change, found: NONE })),
          untested_count: 160,
        },
      },
    ],
  })),
} as ErrorRateList;
