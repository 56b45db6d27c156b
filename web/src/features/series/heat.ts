/** From the answer of a heat map to what is drawn of it. Pure. */
import type { HeatMapChart } from "@/api/types";
import type { HeatColumn } from "@/components/chart/HeatMap";
import { ordinalScale, type Scale, timeScale } from "@/components/chart/ticks";
import { boundsOfBin, countsByBin, numbersOf } from "@/lib/statistics";
import type { Axis, Reach } from "./search";

/** The share of operations at each end that is left out of what is usual. */
const LEFT_OUT = 0.0005;

/** The columns, each from half way to the one before to half way to the next. */
export function heatColumns({ columns }: HeatMapChart): HeatColumn[] {
  const [from, to] = [numbersOf(columns.from_ordinals), numbersOf(columns.to_ordinals)];
  const firstBins = numbersOf(columns.first_bins);
  return from.map((first, place) => {
    const last = to[place] ?? first;
    const counts = countsByBin(firstBins[place] ?? 0, columns.counts[place] ?? []);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const before = to[place - 1] ?? first - 1;
    const after = from[place + 1] ?? last + 1;
    return {
      from: (before + first) / 2,
      to: (last + after) / 2,
      x: last,
      shares: new Map([...counts].map(([bin, count]) => [bin, count / Math.max(1, total)])),
    };
  });
}

export function reachOf(columns: HeatColumn[], steps: number, reach: Reach): [number, number] {
  const byBin = new Map<number, number>();
  for (const { shares } of columns) {
    for (const [bin, share] of shares) byBin.set(bin, (byBin.get(bin) ?? 0) + share / columns.length);
  }
  const bins = [...byBin.entries()].sort(([a], [b]) => a - b);
  const [shortest, longest] = reach === "all" ? [bins[0]?.[0], bins.at(-1)?.[0]] : usual(bins);
  return [boundsOfBin((shortest ?? 0) - 1, steps)[0], boundsOfBin((longest ?? 0) + 1, steps)[1]];
}

/** The share of the operations, of all columns alike, that lie outside of what is drawn. */
export function shareBeyond(
  columns: HeatColumn[],
  steps: number,
  [low, high]: readonly [number, number],
): number {
  const outside = columns.reduce((sum, { shares }) => {
    const beyond = [...shares].filter(([bin]) => {
      const [from, to] = boundsOfBin(bin, steps);
      return to <= low || from >= high;
    });
    return sum + beyond.reduce((part, [, share]) => part + share, 0);
  }, 0);
  return outside / Math.max(1, columns.length);
}

function usual(bins: [bin: number, share: number][]): [number | undefined, number | undefined] {
  let sum = 0;
  const cumulative = bins.map(([bin, share]) => {
    sum += share;
    return { bin, sum };
  });
  const first = cumulative.find((entry) => entry.sum > LEFT_OUT);
  const last = cumulative.find((entry) => entry.sum >= 1 - LEFT_OUT) ?? cumulative.at(-1);
  return [first?.bin, last?.bin];
}

/** The share of the axis that is left free at either end, so that no mark there is cut. */
const ROOM = 0.015;

export function scaleOf(axis: Axis, [from, to]: readonly [number, number]): Scale {
  const { domain, ticks } =
    axis === "time" ? timeScale([from, to]) : ordinalScale([Math.round(from), Math.round(to)]);
  const room = (domain[1] - domain[0]) * ROOM;
  return { domain: [domain[0] - room, domain[1] + room], ticks };
}
