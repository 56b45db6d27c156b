/** The fastest line for each range of sizes. Pure. */
import { ascending } from "./collections";
import {
  type Crossing,
  type Figure,
  figureOf,
  type MeasuredLine,
  type MeasuredPoint,
  positionsOf,
} from "./sweep";

/** Lines within this share of the fastest count as equal. */
export const EQUAL_WITHIN = 0.03;

type Stretch = { line: MeasuredLine; first: number; last: number };

export type Change = {
  before: Stretch;
  after: Stretch;
  /** The crossover with its interval; `null` if not calculated. */
  crossing: Crossing | null;
};

export type Answer = {
  stretches: Stretch[];
  changes: Change[];
  /** Lines without comparable points. */
  apart: MeasuredLine[];
};

/** The fastest line by size, from comparable points. At p50, changes have the crossovers of the server. */
export function fastestOf(lines: MeasuredLine[], figure: Figure, crossings: Crossing[]): Answer {
  const stretches = stretchesOf(lines, figure);
  return {
    stretches,
    changes: stretches.slice(1).flatMap((after, index) => {
      const before = stretches[index];
      return before === undefined ? [] : [{ before, after, crossing: crossingOf(before, after, crossings) }];
    }),
    apart: lines.filter(({ points }) => points.every(({ apart }) => apart !== null)),
  };
}

/** Whether any value is interpolated. */
export function isBetween(lines: MeasuredLine[]): boolean {
  const sizes = positionsOf(lines);
  return lines.some((line) =>
    sizes.some((x) => !line.points.some((point) => point.x === x) && valueAt(line, x, "p50") !== null),
  );
}

export function leadersOf({ stretches }: Answer): Set<string> {
  return new Set(stretches.map(({ line }) => line.key));
}

/**
 * The fewest possible stretches: from the smallest size, the line that is fastest or equal to the fastest over the most
 * consecutive sizes.
 */
function stretchesOf(lines: MeasuredLine[], figure: Figure): Stretch[] {
  const ranks = positionsOf(lines)
    .map((x) => ({ x, equals: equalsAt(lines, x, figure) }))
    .filter(({ equals }) => equals.length > 0);
  const stretches: Stretch[] = [];
  let place = 0;
  while (place < ranks.length) {
    const here = ranks[place];
    if (here === undefined) break;
    const runs = here.equals.map((line) => ({ line, length: runLength(ranks.slice(place), line) }));
    const longest = runs.reduce((best, run) => (run.length > best.length ? run : best));
    const last = ranks[place + longest.length - 1]?.x ?? here.x;
    stretches.push({ line: longest.line, first: here.x, last });
    place += longest.length;
  }
  return stretches;
}

function runLength(ranks: { equals: MeasuredLine[] }[], line: MeasuredLine): number {
  const end = ranks.findIndex(({ equals }) => !equals.includes(line));
  return end === -1 ? ranks.length : end;
}

/** The lines that are equal to the fastest at a size, fastest first. */
export function equalsAt(lines: MeasuredLine[], x: number, figure: Figure): MeasuredLine[] {
  const found = lines.flatMap((line) => {
    const value = valueAt(line, x, figure);
    return value === null ? [] : [{ line, cost: figure === "throughput" ? 1 / value : value }];
  });
  const least = Math.min(...found.map(({ cost }) => cost));
  return found
    .filter(({ cost }) => cost <= least * (1 + EQUAL_WITHIN))
    .sort((a, b) => ascending(a.cost, b.cost))
    .map(({ line }) => line);
}

/** A line's figure at a size, interpolated between its own sizes as drawn. */
function valueAt({ points }: MeasuredLine, x: number, figure: Figure): number | null {
  const own = points.filter(({ apart }) => apart === null);
  const exact = own.find((point) => point.x === x);
  if (exact !== undefined) return positive(exact, figure);
  const [below, above] = [own.findLast((point) => point.x < x), own.find((point) => point.x > x)];
  if (below === undefined || above === undefined || below.place !== above.place) return null;
  const [low, high] = [positive(below, figure), positive(above, figure)];
  if (low === null || high === null || below.x === 0) return null;
  const part = Math.log(x / below.x) / Math.log(above.x / below.x);
  return low * (high / low) ** part;
}

function positive(point: MeasuredPoint, figure: Figure): number | null {
  const value = figureOf(point, figure);
  return value === null || value <= 0 ? null : value;
}

function crossingOf(before: Stretch, after: Stretch, crossings: Crossing[]): Crossing | null {
  const distance = ({ x }: Crossing) => Math.abs(Math.log(x / Math.max(1, before.last)));
  return (
    crossings
      .filter(
        ({ below, above, x }) =>
          below.key === before.line.key &&
          above.key === after.line.key &&
          x >= before.first &&
          x <= after.last,
      )
      .sort((a, b) => ascending(distance(a), distance(b)))[0] ?? null
  );
}
