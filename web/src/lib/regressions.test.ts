import { expect, test } from "vitest";
import type { Regression } from "@/api/types";
import { aRegression } from "@/test/fixtures";
import { causeText, changeOfNs, headlineOf, suspectsText, worstText } from "./regressions";

const REGRESSION = aRegression();

const OPEN = { shown: "open", direction: "regressed", isWhole: true } as const;

test("the headline counts open regressions and names the worst", () => {
  const acknowledged: Regression = { ...REGRESSION, state: "acknowledged", worst_change: 0.05 };
  expect(headlineOf([], OPEN)).toBe("No open regressions");
  expect(headlineOf([REGRESSION], OPEN)).toBe("1 untriaged regression, worst +20 %");
  expect(headlineOf([REGRESSION, acknowledged], OPEN)).toBe("2 open regressions, 1 untriaged, worst +20 %");
  expect(headlineOf([acknowledged], OPEN)).toBe("1 open regression, worst +5.0 %");
  expect(headlineOf([], { ...OPEN, shown: "machine", direction: "improved" })).toBe(
    "No improvements caused by machines",
  );
});

test("suspects are a range, one commit or the culprit; a drift has none", () => {
  const drift = aRegression({ kind: "drift", until_commit: { sha: "c".repeat(40), ordinal: 46 } });
  expect(worstText(drift, 0.061)).toBe("Drift of +6.1 % since aaaaaaa");
  expect(suspectsText(drift)).toBe("No single commit: aaaaaaa..ccccccc (16 commits)");
  expect(worstText(REGRESSION, 0.2)).toBe("+20 %");
  expect(worstText(drift, null)).toBe("Drift since aaaaaaa");
  expect(worstText(REGRESSION, null)).toBe("unknown");
  expect(suspectsText(REGRESSION)).toBe("bbbbbbb");
  const culprit_commit = { sha: "d".repeat(40), ordinal: 33 };
  expect(suspectsText(aRegression({ culprit_commit }))).toBe("ddddddd");
});

test("the cause is the finding that accounts for most of the change", () => {
  expect(causeText(REGRESSION)).toBe("commit");
  const finding = (text: string, explains_ns: number) => ({ rule: "extra-call", text, explains_ns });
  const findings = [finding("+1.00 `sendmsg` per round trip", 3100), finding("+0.90 waits", 200)];
  const explanation = { base_sha: "a".repeat(40), change_ns: 3400, findings, unexplained_ns: 100 };
  expect(causeText({ ...REGRESSION, explanation })).toBe("+1.00 `sendmsg` per round trip");
  expect(causeText({ ...REGRESSION, explanation: { ...explanation, findings: [] } })).toBe("commit");
  expect([changeOfNs(3400), changeOfNs(-120)]).toEqual(["+3.40 µs", "-120 ns"]);
});
