import { describe, expect, it } from "vitest";
import type { ComparisonPair } from "@/api/types";
import { aComparison, aPair, aSide, countsOf } from "@/test/comparisons";
import { confidenceText, countsText, headlineOf } from "./headline";

const KIB_64 = { message_bytes: 65_536 };

function slower(change: number, more: Parameters<typeof aPair>[0] = {}): ComparisonPair {
  return aPair({ verdict: "regressed", change, change_interval: [change - 0.03, change + 0.03], ...more });
}

const title = (...pairs: ComparisonPair[]) => headlineOf(aComparison(pairs));

describe("the headline", () => {
  it("names the worst change with its interval, and no mean", () => {
    expect(
      title(
        slower(0.05),
        slower(0.154, { transport: "unix-stream", case: KIB_64, change_interval: [0.121, 0.189] }),
        aPair({ verdict: "improved", change: -0.4 }),
        aPair({ transport: "tcp" }),
      ),
    ).toBe(
      "64 KiB messages over unix-stream got 15.4 % slower (95 % CI 12.1 to 18.9) on lab-1; 3 of 4 cases changed.",
    );
  });

  it("distinguishes a case from others of its transport, size and machine", () => {
    const across = slower(0.2, { case: { placement: "cross-cpu" } });
    expect(title(across, aPair())).toContain("1 KiB messages over pipe, across CPUs, got 20.0 % slower");
    const elsewhere = aPair({ base: aSide({ machine: "lab-2" }), head: aSide({ machine: "lab-2" }) });
    expect(title(across, elsewhere)).toContain("1 KiB messages over pipe got 20.0 % slower");
  });

  it("includes all traits if some pairs are not loaded", () => {
    const worst = slower(0.2);
    const whole = aComparison([worst, aPair(), aPair({ transport: "tcp" })]);
    const text = headlineOf({ ...whole, pairs: [worst] });
    expect(text).toContain(
      "1 KiB messages over pipe, round trip, two processes, same CPU, got 20.0 % slower",
    );
    expect(text).toContain("1 of 3 cases changed");
  });

  it("prefers a slower tail to a faster p50", () => {
    const tail = aPair({
      p99: { change: 0.27, change_interval: [0.12, 0.38], p_adjusted: 0.001, verdict: "regressed" },
    });
    const faster = aPair({ verdict: "improved", change: -0.5, change_interval: [-0.55, -0.45] });
    expect(title(faster, tail)).toBe(
      "The p99 of 1 KiB messages over pipe got 27.0 % slower (95 % CI 12.0 to 38.0) on lab-1; 2 of 2 cases changed.",
    );
    expect(title(faster)).toContain("got 50.0 % faster (95 % CI 45.0 to 55.0) on lab-1");
  });

  it("reports a change of the shape alone", () => {
    const shape = aPair({ shape: { p_adjusted: 0.001, changed: true, difference: "p95 +30 %" } });
    expect(title(shape)).toBe("Shape changed for 1 KiB messages over pipe on lab-1; 1 of 1 case changed.");
  });

  it("gives the number of cases and their detectable changes if nothing changed", () => {
    expect(title(aPair(), aPair())).toBe("No change in 2 cases; detects ≥ 2.4 % (90 % power).");
    const few = aPair({ detectable_change: null });
    expect(title(few, few)).toBe("No change in 2 cases; too few repetitions to detect changes.");
  });

  it("gives the range of detectable changes of the unchanged cases", () => {
    const open = aPair({ verdict: "inconclusive", detectable_change: 0.12 });
    const moved = aPair({ detectable_change: 0.082 });
    expect(title(aPair(), moved, open)).toBe(
      "No change in 2 of 3 cases; 1 inconclusive; detects 2.4 to 8.2 % by case (90 % power).",
    );
  });

  it("counts inconclusive cases", () => {
    const open = aPair({ verdict: "inconclusive", undecided: "too few repetitions a side: has 2, needs 4" });
    expect(title(open, open)).toBe("All 2 cases are inconclusive.");
    expect(title(open)).toBe("The only case is inconclusive.");
    expect(title(open, aPair())).toContain("No change in 1 of 2 cases; 1 inconclusive");
  });

  it("gives the reason if nothing is compared", () => {
    const none = { verdict: "not comparable", change: null, change_interval: null } as const;
    const kernel = { what: "environment.os.kernel", base: "6.1", head: "6.2" };
    expect(title(aPair({ ...none, differences: [kernel] }))).toBe(
      "The only case is not comparable: kernel: 6.1 vs 6.2.",
    );
    expect(title(aPair({ ...none, base: null, reasons: ["not in the base"] }))).toBe(
      "No results for aaaaaaa.",
    );
    expect(title(aPair({ ...none, reasons: ["machine changed: canary wake +23 %"] }))).toBe(
      "The only case is not comparable: machine changed (canary wake +23 %).",
    );
    expect(title()).toBe("No results for either commit.");
  });
});

it("counts every kind, and cases that are not comparable", () => {
  const left = aPair({ verdict: "not comparable", head: null, reasons: ["not in the head"] });
  expect(countsText(countsOf([slower(0.1), aPair(), aPair(), left]))).toBe(
    "1 slower, 2 unchanged; 1 not comparable",
  );
});

it("gives the false-positive rate only if there is data", () => {
  expect(confidenceText({ count: 0, of_count: 0, share: null, interval: null })).toBeNull();
  expect(confidenceText({ count: 1, of_count: 200, share: 0.005, interval: [0.0001, 0.0276] })).toBe(
    "False positives: 1 of 200 A/A comparisons (upper bound 2.8 %).",
  );
});
