/** Round trips by message size on one machine: the drawn part of a sweep, and what it shows. Pure. */
import type { SweepChart } from "@/api/types";
import { chosen } from "@/lib/choices";
import { distinct, groupBy } from "@/lib/collections";
import { type Answer, EQUAL_WITHIN, equalsAt, fastestOf } from "@/lib/fastest";
import {
  type Crossing,
  crossingsOf,
  figureOf,
  linesOf,
  loadsOf,
  type MeasuredLine,
  positionsOf,
} from "@/lib/sweep";
import { formatBytes, formatNs, unbroken } from "@/lib/units";

const USUAL = { mode: "2proc", placement: "same-cpu" };
/** The placement with a CPU for each process. */
const TWO_CPUS = "cross-cpu";
const SIZES_MIN = 2;
/** Further tied transports are only counted. */
const TIED_NAMED_MAX = 2;

type Place = { mode: string; placement: string };
type Part = { lines: MeasuredLine[]; crossings: Crossing[] };

/** The lines in the usual placement, or the one with the most lines; `null` with fewer than two sizes. */
export function usualPart(chart: SweepChart): (Place & Part) | null {
  const places = chart.lines.map(placeOf);
  const mode = chosen(distinct(places.map((place) => place.mode)), USUAL.mode);
  const ofMode = places.filter((place) => place.mode === mode).map(({ placement }) => placement);
  const [most] = [...groupBy(ofMode, (placement) => placement).values()].sort((a, b) => b.length - a.length);
  const placement = chosen(distinct(ofMode), USUAL.placement, most?.[0]);
  if (mode === undefined || placement === undefined) return null;
  const part = partIn(chart, { mode, placement });
  return positionsOf(part.lines).length < SIZES_MIN ? null : { mode, placement, ...part };
}

/** The lines and crossovers of one place, with the most measured load. */
function partIn(chart: SweepChart, { mode, placement }: Place): Part {
  const isIn = (line: SweepChart["lines"][number] | undefined) =>
    line?.parameters.mode === mode && line.parameters.placement === placement;
  const within = { over: chart.over, lines: chart.lines.filter(isIn) };
  const [load] = loadsOf(within);
  const placeWithin = (place: number) => chart.lines.slice(0, place).filter(isIn).length;
  const crossovers = chart.crossovers
    .filter(({ below, above }) => isIn(chart.lines[below]) && isIn(chart.lines[above]))
    .map((crossover) => ({
      ...crossover,
      below: placeWithin(crossover.below),
      above: placeWithin(crossover.above),
    }));
  const lines = load === undefined ? [] : linesOf(within, load.key);
  return { lines, crossings: crossingsOf(crossovers, lines) };
}

function placeOf({ parameters: { mode = "", placement = "" } }: SweepChart["lines"][number]): Place {
  return { mode, placement };
}

/** At most three sentences: the fastest for small and for large messages, and the gain of spinning. */
export function sentencesOf(chart: SweepChart, { mode, lines, crossings }: Place & Part): string[] {
  return [
    ...fastestTexts(lines, fastestOf(lines, "p50", crossings)),
    ...spinningTexts(partIn(chart, { mode, placement: TWO_CPUS }).lines),
  ];
}

function fastestTexts(lines: MeasuredLine[], { stretches }: Answer): string[] {
  const [small, ...others] = stretches;
  if (small === undefined) return [];
  const large = others.at(-1);
  if (large === undefined) {
    const sizes = distinct([small.first, small.last]).map((bytes) => timeText(lines, small.line, bytes));
    return [`${small.line.label} is fastest at all sizes: ${sizes.join(", ")}.`];
  }
  return [
    `Small messages: ${small.line.label} is fastest, ${timeText(lines, small.line, small.first)}.`,
    `Large messages: ${large.line.label} is fastest, ${timeText(lines, large.line, large.last)}.`,
  ];
}

/** `1.45 µs at 64 B (tied: pipe)`. */
function timeText(lines: MeasuredLine[], line: MeasuredLine, bytes: number): string {
  const tied = equalsAt(lines, bytes, "p50").filter((other) => other !== line);
  const names = tied.slice(0, TIED_NAMED_MAX).map(({ label }) => label);
  const more = tied.length - names.length;
  const ties = [...names, ...(more > 0 ? [`${more} more`] : [])];
  return `${atText(medianAt(line, bytes) ?? 0, bytes)}${ties.length > 0 ? ` (tied: ${ties.join(", ")})` : ""}`;
}

/** The fastest line that spins and the fastest that blocks, at the smallest size that both measured. */
function spinningTexts(lines: MeasuredLine[]): string[] {
  for (const bytes of positionsOf(lines)) {
    const spinning = fastestThat(lines, "spin", bytes);
    const blocking = fastestThat(lines, "block", bytes);
    if (spinning === null || blocking === null) continue;
    const { label, median } = spinning;
    return [
      `Spinning on a second CPU: ${atText(median, bytes)} with ${label}, ${comparedText(median, blocking)}.`,
    ];
  }
  return [];
}

type Fastest = { label: string; median: number };

function fastestThat(lines: MeasuredLine[], receive: string, bytes: number): Fastest | null {
  return lines
    .flatMap((line) => {
      const median = line.receive === receive ? medianAt(line, bytes) : null;
      return median === null ? [] : [{ label: line.label, median }];
    })
    .reduce<Fastest | null>(
      (least, one) => (least === null || one.median < least.median ? one : least),
      null,
    );
}

function comparedText(median: number, blocking: Fastest): string {
  const other = `${blocking.label}, which blocks`;
  const [least, most] = [median, blocking.median].sort((a, b) => a - b);
  const ratio = (most ?? 0) / (least ?? 1);
  const time = unbroken(formatNs(blocking.median));
  if (ratio <= 1 + EQUAL_WITHIN) return `tied with ${other} (${time})`;
  const times = ratio < 10 ? ratio.toFixed(1) : String(Math.round(ratio));
  return `${times} times as ${median < blocking.median ? "fast" : "slow"} as ${other} (${time})`;
}

function atText(ns: number, bytes: number): string {
  return `${unbroken(formatNs(ns))} at ${unbroken(formatBytes(bytes))}`;
}

/** A comparable median. */
function medianAt(line: MeasuredLine, bytes: number): number | null {
  const point = line.points.find(({ x, apart }) => x === bytes && apart === null);
  return point === undefined ? null : figureOf(point, "p50");
}
