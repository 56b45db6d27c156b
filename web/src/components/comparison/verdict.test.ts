import { expect, it } from "vitest";
import { aComparison, aPair, aSide } from "@/test/comparisons";
import { anImportedSeries } from "@/test/fixtures";
import { conclusionOf, remedyOf } from "./verdict";

const slower = aPair({ verdict: "regressed", change: 0.15 });
const faster = aPair({ verdict: "improved", change: -0.15 });
const tail = aPair({ p99: { change: 0.4, change_interval: null, p_adjusted: 0.001, verdict: "regressed" } });
const undecided = (change = {}) => aPair({ verdict: "inconclusive", undecided: "too noisy", ...change });
const none = aPair({ verdict: "not comparable", base: null, reasons: ["not in the base"] });

it.each([
  ["Slower", [slower, faster, undecided(), aPair()]],
  ["Slower tail", [tail, faster, undecided()]],
  ["Inconclusive", [faster, undecided(), aPair()]],
  ["No regression", [faster, aPair()]],
  ["No regression", [aPair(), none]],
  ["Not comparable", [none]],
])("the verdict is that of the worst case: %s", (word, pairs) => {
  expect(conclusionOf(aComparison(pairs)).word).toBe(word);
});

it("measures again where cases are inconclusive, as often as the noisiest needs", () => {
  const on = (machine: string) => ({ head: aSide({ machine }) });
  const comparison = aComparison([
    undecided({ ...on("lab-2"), repetitions_needed: 14 }),
    undecided({ ...on("lab-1"), repetitions_needed: 3 }),
    undecided(on("lab-1")),
    { ...slower, ...on("lab-3") },
  ]);
  expect(remedyOf(comparison, 42)).toEqual({
    label: "Run 14 more pairs",
    request: {
      commits: ["b".repeat(40)],
      base: "a".repeat(40),
      machines: ["lab-1", "lab-2"],
      pull_request: 42,
    },
  });
  expect(remedyOf(aComparison([undecided()]), null)?.label).toBe("Run paired A/B");
  expect(remedyOf(aComparison([slower]), null)).toBeNull();
  const imported = { ...undecided(), transport: anImportedSeries().transport };
  expect(remedyOf(aComparison([imported]), null)).toBeNull();
});
