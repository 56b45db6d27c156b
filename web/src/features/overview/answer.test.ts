import { expect, test } from "vitest";
import { aRegression } from "@/test/fixtures";
import { answerOf, type Evidence } from "./answer";

const LAB = ["lab-1", "lab-2", "lab-3"];

type Change = Partial<Evidence> & { lab?: string[]; suspect?: string[]; overdue?: string[] };

function headline(change: Change): string {
  const { lab = LAB, suspect = [], overdue = [], ...rest } = change;
  const machines = lab.map((machine) => ({
    machine,
    isSuspect: suspect.includes(machine),
    isOverdue: overdue.includes(machine),
  }));
  const evidence = { regressions: [], isWhole: true, machines, commitCount: 50, ...rest };
  return answerOf(evidence)
    .map((piece) => (typeof piece === "string" ? piece : piece.sha.slice(0, 7)))
    .join("");
}

test("names the commit, the machines and the likely cause", () => {
  expect(headline({ regressions: [aRegression()] })).toBe(
    "4 series slower since bbbbbbb on 2 machines. Likely cause: the commit.",
  );
});

test("names a single machine, and whether it is suspect", () => {
  const one = aRegression({ machines: ["lab-1"], series_count: 1, cause: "unknown" });
  expect(headline({ regressions: [one] })).toBe(
    "1 series slower since bbbbbbb on lab-1. Cause: not known yet.",
  );
  expect(headline({ regressions: [one], suspect: ["lab-1"] })).toContain("on lab-1 (suspect).");
});

test("names the latest of several commits, and the range it is in", () => {
  const newer = aRegression({
    regression_id: 10,
    after_commit: { sha: "a".repeat(40), ordinal: 35 },
    until_commit: { sha: "c".repeat(40), ordinal: 40 },
  });
  expect(headline({ regressions: [aRegression(), newer] })).toBe(
    "8 series slower, the latest since one of 5 commits up to ccccccc on 2 machines. Likely cause: the commits.",
  );
});

test("counts regressions by cause when the causes differ", () => {
  const unknown = aRegression({ cause: "unknown" });
  const text = headline({ regressions: [aRegression(), unknown, unknown], suspect: ["lab-1"] });
  expect(text).toContain("on 2 machines (suspect: lab-1).");
  expect(text).toContain("Likely causes: commit (1), unknown (2).");
  expect(headline({ regressions: [aRegression()], isWhole: false })).toContain("More than 4 series");
});

test("reports a drift with its begin instead of a commit", () => {
  const drift = aRegression({ kind: "drift", worst_change: 0.061 });
  expect(headline({ regressions: [drift] })).toBe(
    "Drift of +6.1 % since aaaaaaa, 4 series on 2 machines. No single commit: small changes add up.",
  );
  const older = aRegression({ until_commit: { sha: "c".repeat(40), ordinal: 12 } });
  expect(headline({ regressions: [older, drift] })).toBe(
    "8 series slower, the latest a drift of +6.1 % since aaaaaaa on 2 machines. Likely causes: commit (1), small changes (1).",
  );
  expect(headline({ regressions: [{ ...drift, cause: "unknown" }] })).toContain("Cause: not known yet.");
});

test("describes the machines when there are no regressions", () => {
  expect(headline({})).toBe("No regressions. All 3 machines are stable.");
  expect(headline({ suspect: ["lab-3"], overdue: ["lab-1"] })).toBe(
    "No regressions, but lab-3 is suspect; lab-1 is overdue.",
  );
  expect(headline({ overdue: ["lab-1", "lab-2"] })).toBe("No regressions, but 2 machines are overdue.");
  expect(headline({ overdue: LAB })).toContain("all 3 machines are overdue");
});

test("names one or two machines without a number", () => {
  expect(headline({ lab: ["lab-1"] })).toBe("No regressions. The machine is stable.");
  const lab = ["lab-1", "lab-2"];
  expect(headline({ lab })).toBe("No regressions. Both machines are stable.");
  expect(headline({ lab, overdue: lab })).toBe("No regressions, but both machines are overdue.");
});

test("has nothing to compare with one commit", () => {
  expect(headline({ commitCount: 1 })).toBe("First commit measured");
});
