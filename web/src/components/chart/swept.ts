/** The lines of a sweep as they are drawn, and which of them are. Pure. */
import { type Answer, leadersOf } from "@/lib/fastest";
import { joined, slugsOf } from "@/lib/search";
import { type Figure, figureOf, type MeasuredLine } from "@/lib/sweep";
import type { SweepLine } from "./SweepChart";

export type SweptLine = MeasuredLine & { look: number; isShown: boolean };

/** Which of the lines are drawn. What is called otherwise now is not hidden. */
export function sweptLines(lines: MeasuredLine[], hidden: string | undefined): SweptLine[] {
  const names = slugsOf(hidden);
  return lines.map((line, look) => ({ ...line, look, isShown: !names.includes(line.key) }));
}

/** The hidden lines with one shown again, or hidden. */
export function withToggled(hidden: string | undefined, key: string): string | undefined {
  const names = slugsOf(hidden);
  return joined(names.includes(key) ? names.filter((name) => name !== key) : [...names, key]);
}

/** The lines of the chart, and of those that are the fastest somewhere, that they are. */
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
