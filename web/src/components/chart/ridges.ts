/** Two distributions of a series as small ridges on one logarithmic axis of their own. Pure. */
import type { HeatMapColumns } from "@/api/types";
import { centralBins, numbersOf, sharesByBin } from "@/lib/statistics";
import { rounded } from "./sparklines";

/** The distribution at a commit: the share of operations by bin. */
export type Ridge = { ordinal: number; shares: ReadonlyMap<number, number> };

export const RIDGE = { width: 72, height: 24 } as const;

/** The axis leaves out this share of operations at each end, so that single slow ones do not flatten the rest. */
const BEYOND = 0.01;
/** The fewest bins, so that a narrow distribution looks narrow. */
const BINS_MIN = 10;

/** The columns of a heat map without lossy ones, oldest first. */
export function ridgesOf({ from_ordinals, first_bins, counts, lossy }: HeatMapColumns): Ridge[] {
  const firsts = numbersOf(first_bins);
  return numbersOf(from_ordinals).flatMap((ordinal, index): Ridge | [] => {
    const shares = sharesByBin(firsts[index] ?? 0, counts[index] ?? []);
    return shares.size === 0 || lossy.includes(index) ? [] : { ordinal, shares };
  });
}

/** The outline of each ridge. Their areas are equal, so a wider one is lower. */
export function ridgePaths(ridges: readonly Ridge[]): string[] {
  const ends = ridges.map(({ shares }) => centralBins(shares, BEYOND));
  const [first, last] = [Math.min(...ends.map(([from]) => from)), Math.max(...ends.map(([, to]) => to))];
  const margin = Math.max(1, (BINS_MIN - (last - first)) / 2);
  const [from, to] = [first - margin, last + margin];
  const highest = Math.max(...ridges.flatMap(({ shares }) => [...shares.values()]));
  const x = (bin: number) => rounded(((bin - from) / (to - from)) * RIDGE.width);
  return ridges.map(({ shares }) => {
    let path = `M0,${RIDGE.height}`;
    for (let bin = first; bin <= last; bin++) {
      path += `L${x(bin)},${rounded(RIDGE.height - ((shares.get(bin) ?? 0) / highest) * (RIDGE.height - 1))}`;
    }
    return `${path}L${RIDGE.width},${RIDGE.height}`;
  });
}
