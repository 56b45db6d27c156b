/** The lines of a sweep chart, and which are visible. Pure. */
import { type Answer, leadersOf } from "@/lib/fastest";
import { slugsOf } from "@/lib/search";
import { type Figure, figureOf, type MeasuredLine } from "@/lib/sweep";
import type { SweepLine } from "./SweepChart";

export type SweptLine = MeasuredLine & { look: number; isShown: boolean };

/** The visible lines. Unknown keys are ignored. */
export function sweptLines(lines: MeasuredLine[], hidden: string | undefined): SweptLine[] {
  const names = slugsOf(hidden);
  return lines.map((line, look) => ({ ...line, look, isShown: !names.includes(line.key) }));
}

/** The lines of the chart; those that are fastest at some size are emphasised. */
export function drawnLines(lines: SweptLine[], answer: Answer, figure: Figure): SweepLine[] {
  const leaders = leadersOf(answer);
  return lines
    .filter(({ isShown }) => isShown)
    .map(({ key, label, look, points }) => ({
      key,
      label,
      look,
      current: leaders.has(key),
      points: points.flatMap(({ x, place, apart, point }) => {
        const value = figureOf({ point }, figure);
        return value === null || value <= 0 ? [] : [{ message_bytes: x, value, piece: place, apart }];
      }),
    }))
    .filter(({ points }) => points.length > 0);
}
