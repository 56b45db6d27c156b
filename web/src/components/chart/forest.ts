/** The axis of a forest plot, symmetric around zero. Pure. */
import { ascending } from "@/lib/collections";

/** One row: estimate, interval and least change. */
export type Estimate = {
  change: number;
  interval: [low: number, high: number] | null;
  least: number | null;
};

/** Half the axis, as a share, and its labelled positions. */
export type ForestScale = { limit: number; ticks: number[] };

const LIMITS = [0.02, 0.04, 0.1, 0.2, 0.4, 1, 2, 4, 10, 20, 40, 100];
/** The axis limit relative to the 75th percentile of rows, before clipping. */
const OUTLIER = 4;
/** Margin at both ends, in percent of the width. */
const MARGIN_PERCENT = 8;

/** The axis for these rows. Outliers are clipped. */
export function forestScale(estimates: Estimate[]): ForestScale {
  const reaches = estimates
    .map(({ change, interval }) => Math.max(Math.abs(change), ...(interval ?? []).map(Math.abs)))
    .sort(ascending);
  const usual = reaches[Math.floor((reaches.length - 1) * 0.75)] ?? 0;
  const wanted = Math.min(reaches.at(-1) ?? 0, usual * OUTLIER);
  return scaleTo(LIMITS.find((candidate) => candidate >= wanted) ?? wanted);
}

export function scaleTo(limit: number): ForestScale {
  return { limit, ticks: [-limit, -limit / 2, 0, limit / 2, limit] };
}

/** The position of a change in percent of the width, and whether it is clipped. */
export function forestPosition(
  change: number,
  { limit }: ForestScale,
): { percent: number; isBeyond: boolean } {
  const clipped = Math.max(-limit, Math.min(limit, change));
  return { percent: 50 + (clipped / limit) * (50 - MARGIN_PERCENT), isBeyond: clipped !== change };
}
