/** Texts of error rates: headline and cells. */
import type { CountedShare, ErrorRateList, HistoryErrorRates } from "@/api/types";
import { counted, formatCount } from "@/lib/units";

export const FIGURES = ["p50", "p99", "tail"] as const;
export type Figure = (typeof FIGURES)[number];

export type CellText = { text: string; interval: string };

/** The step in the headline. */
const HEADLINE_CHANGE = 0.05;

/** A rate to two digits: `1 in 12,000`. */
export function onceIn(share: number): string {
  return `1 in ${formatCount(Number((1 / share).toPrecision(2)))}`;
}

/** A share in percent, with `< 0.1` and `> 99.9` near the ends. */
export function percent(share: number): string {
  const value = share * 100;
  const isWhole = share === 0 || share === 1;
  const digits = isWhole || (value >= 10 && value < 99.5) ? 0 : 1;
  const text = value.toFixed(digits);
  if (!isWhole && Number(text) === 0) return "< 0.1";
  return !isWhole && Number(text) === 100 ? "> 99.9" : text;
}

/** A rare event: its rate, or that it did not happen; `null` without data. */
export function rarity({ count, of_count, share, interval }: CountedShare): CellText | null {
  if (share === null || interval === null) return null;
  const [low, high] = interval as [number, number];
  if (count === 0) {
    return { text: `none in ${formatCount(of_count)}`, interval: `below ${onceIn(high)}` };
  }
  return { text: onceIn(share), interval: `${onceIn(high)} to ${onceIn(low).slice("1 in ".length)}` };
}

/** The share of changes found, in percent; `null` without data. */
export function foundShare({ share, interval }: CountedShare): CellText | null {
  if (share === null || interval === null) return null;
  const [low, high] = interval as [number, number];
  return { text: `${percent(share)} %`, interval: `${percent(low)} to ${percent(high)}` };
}

/** A step's name: `+5 %`. */
export function changeName(change: number): string {
  return `+${(change * 100).toFixed(0)} %`;
}

/** The smallest change that counts. Equal limits are a fixed threshold. */
export function thresholdText({ threshold }: Pick<HistoryErrorRates, "threshold">): string {
  const [low, high] = threshold.map((share) => Number((share * 100).toPrecision(12)));
  const text =
    low === high ? `${low} %` : `two standard deviations of the noise, between ${low} and ${high} %`;
  return `Threshold: ${text}.`;
}

export function headlineOf({ total }: Pick<ErrorRateList, "total">): string {
  const [p50, p99] = [total.p50, total.p99].map(alarmRate);
  const step = foundText(total.p50);
  if (p50 == null || step === null) return "Error rates: not enough data yet";
  return `False alarms: p50 ${p50} points${p99 == null ? "" : `, p99 ${p99}`}. ${step}.`;
}

export function comparisonsOf({ total }: ErrorRateList): string {
  const { count, of_count } = total.false_comparisons;
  if (of_count === 0) {
    return "No A/A comparisons: fewer than 12 repetitions.";
  }
  return `False positives: ${formatCount(count)} of ${counted(of_count, "A/A comparison")}.`;
}

function alarmRate({ false_alarms: { count, share, interval } }: HistoryErrorRates): string | null {
  if (share === null || interval === null) return null;
  const [, high] = interval as [number, number];
  return count === 0 ? `below ${onceIn(high)}` : `about ${onceIn(share)}`;
}

function foundText({ steps }: HistoryErrorRates): string | null {
  const step = steps.find(({ change }) => Math.abs(change - HEADLINE_CHANGE) < 1e-9);
  if (step?.found.share == null) return null;
  const delay =
    step.median_delay_points === null ? "" : `, after ${counted(step.median_delay_points, "point")} (median)`;
  return `A 5 % step in p50 is found in ${percent(step.found.share)} % of cases${delay}`;
}
