/** Which crossings of a sweep the page marks. Pure. */
import type { SweptLine } from "@/components/chart/swept";
import type { Answer } from "@/lib/fastest";
import { slugsOf } from "@/lib/search";
import type { Crossing, Figure } from "@/lib/sweep";
import type { SweepSearch } from "./search";

/** The two lines whose crossings are asked for, where both are drawn. */
export function pairOf(lines: SweptLine[], pair: SweepSearch["pair"]): [SweptLine, SweptLine] | null {
  const [a, b] = slugsOf(pair).map((key) => lines.find((line) => line.key === key && line.isShown));
  return a === undefined || b === undefined || a === b ? null : [a, b];
}

/** The two lines that are offered first: those of the first change of the fastest, else the first two. */
export function usualPair(answer: Answer, lines: SweptLine[]): string | undefined {
  const [change] = answer.changes;
  if (change !== undefined) return `${change.before.line.key}.${change.after.line.key}`;
  const [a, b] = lines.filter(({ isShown }) => isShown);
  return a === undefined || b === undefined ? undefined : `${a.key}.${b.key}`;
}

/** The crossings that are marked: those at which the fastest changes, or all of two lines. They are of p50. */
export function markedCrossings(
  answer: Answer,
  crossings: Crossing[],
  pair: [SweptLine, SweptLine] | null,
  figure: Figure,
): Crossing[] {
  if (figure !== "p50") return [];
  if (pair === null) return answer.changes.flatMap(({ crossing }) => crossing ?? []);
  const keys = pair.map(({ key }) => key);
  return crossings.filter(({ below, above }) => keys.includes(below.key) && keys.includes(above.key));
}
