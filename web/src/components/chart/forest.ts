/** Where a forest plot's axis ends: the same to both sides of zero, so that slower and faster are told apart by length. */
import { ascending } from "@/lib/collections";

/** One row: an estimate with its interval, and the least change that counts as one. */
export type Estimate = {
  change: number;
  interval: [low: number, high: number] | null;
  least: number | null;
};

/** Half the axis, as a share, and its labelled positions. */
export type ForestScale = { limit: number; ticks: number[] };

const LIMITS = [0.02, 0.04, 0.1, 0.2, 0.4, 1, 2, 4, 10, 20, 40, 100];
/** How much longer than three quarters of the rows one row may be before it is clipped. */
const OUTLIER = 4;
/** What is left free at both ends of the axis, in percent of the width. */
const MARGIN_PERCENT = 8;

/** An axis for these rows. The few that are far beyond all others are clipped: they would hide the rest. */
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

/** Where a change stands, in percent of the width from the left, and whether it is beyond the axis. */
export function forestPosition(
  change: number,
  { limit }: ForestScale,
): { percent: number; isBeyond: boolean } {
  const clipped = Math.max(-limit, Math.min(limit, change));
  return { percent: 50 + (clipped / limit) * (50 - MARGIN_PERCENT), isBeyond: clipped !== change };
}
