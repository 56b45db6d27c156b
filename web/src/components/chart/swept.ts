/** The lines of a sweep chart, and which are visible. Pure. */
import { type Answer, leadersOf } from "@/lib/fastest";
import { slugsOf } from "@/lib/search";
import { intervalText } from "@/lib/statistics";
import { type Crossing, type Figure, figureOf, type MeasuredLine } from "@/lib/sweep";
import { type LineStyle, withFamilyStyles } from "./lines";
import type { SweepLine } from "./SweepChart";

export type SweptLine = MeasuredLine & { style: LineStyle; isShown: boolean };

/** The visible lines. Unknown keys are ignored. */
export function sweptLines(lines: MeasuredLine[], hidden: string | undefined): SweptLine[] {
  const names = slugsOf(hidden);
  return withFamilyStyles(lines).map((line) => ({ ...line, isShown: !names.includes(line.key) }));
}

/** The lines of the chart; those that are fastest at some size are emphasised. */
export function drawnLines(lines: SweptLine[], answer: Answer, figure: Figure): SweepLine[] {
  const leaders = leadersOf(answer);
  return lines
    .filter(({ isShown }) => isShown)
    .map(({ key, label, style, points }) => ({
      key,
      label,
      style,
      current: leaders.has(key),
      points: points.flatMap(({ x, place, apart, point }) => {
        const value = figureOf({ point }, figure);
        return value === null || value <= 0 ? [] : [{ message_bytes: x, value, piece: place, apart }];
      }),
    }))
    .filter(({ points }) => points.length > 0);
}

/** The label of a crossover in the chart. */
export function captionOf(crossing: Omit<Crossing, "above">): string {
  return `${crossing.below.label} faster below ${intervalText(crossing)}`;
}
