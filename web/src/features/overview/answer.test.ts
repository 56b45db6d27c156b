import { expect, test } from "vitest";
import { aRegression } from "@/test/fixtures";
import { answerOf, type Evidence } from "./answer";

const LAB = ["lab-1", "lab-2", "lab-3"];

function said(change: Partial<Evidence> & { suspect?: string[]; silent?: string[] }): string {
  const { suspect = [], silent = [], ...rest } = change;
  const machines = LAB.map((machine) => ({
    machine,
    isSuspect: suspect.includes(machine),
    isSilent: silent.includes(machine),
  }));
  const evidence = { regressions: [], isWhole: true, machines, commitCount: 50, ...rest };
  return answerOf(evidence)
    .map((piece) => (typeof piece === "string" ? piece : piece.sha.slice(0, 7)))
    .join("");
}

test("one commit made things worse on machines that are steady", () => {
  expect(said({ regressions: [aRegression()] })).toBe(
    "Four series got slower since bbbbbbb, on two machines that are otherwise steady. It is the commit.",
  );
});

test("a single machine is named, and so is what is held against it", () => {
  const one = aRegression({ machines: ["lab-1"], series_count: 1, cause: "unknown" });
  expect(said({ regressions: [one] })).toBe(
    "One series got slower since bbbbbbb, on lab-1, which is otherwise steady. Whether it is the commit or the machine cannot be told yet.",
  );
  expect(said({ regressions: [one], suspect: ["lab-1"] })).toContain("on lab-1, which is suspect.");
});

test("of several commits the newest is named, of a range that it is one", () => {
  const newer = aRegression({
    regression_id: 10,
    after_commit: { sha: "a".repeat(40), ordinal: 35 },
    until_commit: { sha: "c".repeat(40), ordinal: 40 },
  });
  const text = said({ regressions: [aRegression(), newer] });
  expect(text).toContain(
    "Eight series got slower, the newest since one of five commits up to ccccccc, on two",
  );
  expect(text).toContain("It is the commits, not a machine.");
});

test("what is known of some is not said of all", () => {
  const unknown = aRegression({ cause: "unknown" });
  const text = said({ regressions: [aRegression(), unknown, unknown], suspect: ["lab-1"] });
  expect(text).toContain("on two machines, of which lab-1 is suspect.");
  expect(text).toContain("One of these changes is a commit’s, of two it cannot be told yet.");
  expect(said({ regressions: [aRegression()], isWhole: false })).toContain("More than 4 series");
});

test("nothing is worse: the machines are told of", () => {
  expect(said({})).toBe("Nothing got slower, and all three machines are steady.");
  expect(said({ suspect: ["lab-3"], silent: ["lab-1"] })).toBe(
    "No commit made anything slower. lab-3 is suspect, and lab-1 is silent.",
  );
  expect(said({ silent: ["lab-1", "lab-2"] })).toBe(
    "Nothing got slower as far as is known: two machines are silent.",
  );
  expect(said({ silent: LAB })).toContain("all three machines are silent");
});

test("of one commit nothing can be worse", () => {
  expect(said({ commitCount: 1 })).toBe("Nothing can be worse yet: one commit was measured.");
});
