/** A comparison in one word, and the job that decides inconclusive cases. Pure. */
import type { Comparison, ComparisonPair, JobRequest } from "@/api/types";
import { ascending, distinct } from "@/lib/collections";
import { isImported } from "@/lib/imports";
import { counted } from "@/lib/units";
import { machineOf, tailChanges, totalsOf } from "./pairs";

type Conclusion = { word: string; look: "regressed" | "improved" | "none" };

/** The verdict on the whole comparison: the worst of its cases. */
export function conclusionOf({ counts, pairs }: Comparison): Conclusion {
  if (totalsOf(counts).compared === 0) return { word: "Not comparable", look: "none" };
  if (counts.slower > 0) return { word: "Slower", look: "regressed" };
  if (pairs.some(hasSlowerTail)) return { word: "Slower tail", look: "regressed" };
  if (counts.inconclusive > 0) return { word: "Inconclusive", look: "none" };
  return { word: "No regression", look: counts.faster > 0 ? "improved" : "none" };
}

function hasSlowerTail(pair: ComparisonPair): boolean {
  return pair.kind === "elsewhere" && tailChanges(pair).some(({ change }) => change > 0);
}

export type Remedy = { label: string; request: JobRequest };

/** The job that measures both sides again, in pairs; `null` if no case that jobs measure is inconclusive. */
export function remedyOf({ base, head, pairs }: Comparison, pull_request: number | null): Remedy | null {
  const undecided = pairs.filter((pair) => pair.kind === "inconclusive" && !isImported(pair));
  if (undecided.length === 0) return null;
  const needed = Math.max(0, ...undecided.map(({ repetitions_needed }) => repetitions_needed ?? 0));
  return {
    label: needed === 0 ? "Run paired A/B" : `Run ${counted(needed, "more pair")}`,
    request: {
      commits: [head.commit.sha],
      base: base.commit.sha,
      machines: distinct(undecided.map(machineOf)).sort(ascending),
      ...(pull_request !== null && { pull_request }),
    },
  };
}
