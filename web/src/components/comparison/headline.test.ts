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
      "64 KiB messages over unix-stream got 15.4 % slower (12.1 to 18.9) on lab-1; 3 of 4 cases changed.",
    );
  });

  it("tells a case from the others of its transport, size and machine", () => {
    const across = slower(0.2, { case: { placement: "cross-cpu" } });
    expect(title(across, aPair())).toContain("1 KiB messages over pipe, across CPUs, got 20.0 % slower");
    const elsewhere = aPair({ base: aSide({ machine: "lab-2" }), head: aSide({ machine: "lab-2" }) });
    expect(title(across, elsewhere)).toContain("1 KiB messages over pipe got 20.0 % slower");
  });

  it("says all that could tell a case from others where not all of them are here", () => {
    const worst = slower(0.2);
    const whole = aComparison([worst, aPair(), aPair({ transport: "tcp" })]);
    const told = headlineOf({ ...whole, pairs: [worst] });
    expect(told).toContain(
      "1 KiB messages over pipe, round trip, two processes, same CPU, got 20.0 % slower",
    );
    expect(told).toContain("1 of 3 cases changed");
  });

  it("tells of a tail that got slower before what got faster", () => {
    const tail = aPair({
      p99: { change: 0.27, change_interval: [0.12, 0.38], p_adjusted: 0.001, verdict: "regressed" },
    });
    const faster = aPair({ verdict: "improved", change: -0.5, change_interval: [-0.55, -0.45] });
    expect(title(faster, tail)).toBe(
      "The p99 of 1 KiB messages over pipe got 27.0 % slower (12.0 to 38.0) on lab-1; 2 of 2 cases changed.",
    );
    expect(title(faster)).toContain("got 50.0 % faster (45.0 to 55.0) on lab-1");
  });

  it("says of a shape alone that it changed", () => {
    const shape = aPair({ shape: { p_adjusted: 0.001, changed: true, difference: "p95 +30 %" } });
    expect(title(shape)).toBe(
      "Times of 1 KiB messages over pipe have another shape on lab-1; 1 of 1 case changed.",
    );
  });

  it("says how much was compared and what would count, when nothing changed", () => {
    expect(title(aPair(), aPair())).toBe(
      "None of 2 cases changed; the smallest change that would count is 1.0 %.",
    );
    expect(title(aPair(), aPair({ least_change: 0.089 }))).toContain("1.0 to 8.9 %, by case");
  });

  it("does not say that nothing changed where that cannot be told", () => {
    const open = aPair({ verdict: "inconclusive", undecided: "too few repetitions a side: has 2, needs 4" });
    expect(title(open, open)).toBe("Whether anything changed cannot be told: all 2 cases are inconclusive.");
    expect(title(open, aPair())).toContain(
      "No case changed for sure: 1 of 2 cases did not, and 1 cannot be told",
    );
  });

  it("says why nothing is compared", () => {
    const none = { verdict: "not comparable", change: null, change_interval: null } as const;
    const kernel = { what: "environment.os.kernel", base: "6.1", head: "6.2" };
    expect(title(aPair({ ...none, differences: [kernel] }))).toBe(
      "The one case is not comparable: kernel: 6.1 against 6.2.",
    );
    expect(title(aPair({ ...none, base: null, reasons: ["not in the base"] }))).toBe(
      "Nothing can be compared: aaaaaaa was not measured.",
    );
    expect(title()).toBe("Nothing can be compared: neither commit was measured.");
  });
});

it("counts every kind, and what is not compared", () => {
  const left = aPair({ verdict: "not comparable", head: null, reasons: ["not in the head"] });
  expect(countsText(countsOf([slower(0.1), aPair(), aPair(), left]))).toBe(
    "1 slower, 2 did not change; 1 is not comparable",
  );
});

it("says how often it is wrong only where that was counted", () => {
  expect(confidenceText({ count: 0, of_count: 0, share: null, interval: null })).toBeNull();
  expect(confidenceText({ count: 1, of_count: 200, share: 0.005, interval: [0.0001, 0.0276] })).toBe(
    "Of 200 comparisons of a commit with itself here, 1 found a change that is not there; at most 2.8 % would.",
  );
});
