/** From counted shares to what the page says of them: sentences, and the texts of cells. */
import type { CountedShare, ErrorRateList, HistoryErrorRates } from "@/api/types";
import { counted, formatCount } from "@/lib/units";

export const FIGURES = ["p50", "p99"] as const;
export type Figure = (typeof FIGURES)[number];

export type CellText = { text: string; sureness: string };

/** The step that the first sentence tells of. */
const TOLD_CHANGE = 0.05;

/** How rarely: `1 in 12,000`, to two digits. */
export function onceIn(share: number): string {
  return `1 in ${formatCount(Number((1 / share).toPrecision(2)))}`;
}

/** A share in percent; so near its ends that it would read as one, it keeps the digits that tell it apart. */
export function percent(share: number): string {
  const value = share * 100;
  const isWhole = share === 0 || share === 1;
  const digits = isWhole || (value >= 10 && value < 99.5) ? 0 : 1;
  const text = value.toFixed(digits);
  if (!isWhole && Number(text) === 0) return "< 0.1";
  return !isWhole && Number(text) === 100 ? "> 99.9" : text;
}

/** A rare thing: how seldom it is, or that it did not happen; null of none. */
export function rarity({ count, of_count, share, interval }: CountedShare): CellText | null {
  if (share === null || interval === null) return null;
  const [low, high] = interval as [number, number];
  if (count === 0) {
    return { text: `none in ${formatCount(of_count)}`, sureness: `rarer than ${onceIn(high)}` };
  }
  return { text: onceIn(share), sureness: `${onceIn(high)} to ${onceIn(low).slice("1 in ".length)}` };
}

/** What is found: a share in percent; null of none. */
export function foundShare({ share, interval }: CountedShare): CellText | null {
  if (share === null || interval === null) return null;
  const [low, high] = interval as [number, number];
  return { text: `${percent(share)} %`, sureness: `${percent(low)} to ${percent(high)}` };
}

function ofChange<T extends { change: number }>(entries: T[], change: number): T | undefined {
  return entries.find((entry) => Math.abs(entry.change - change) < 1e-9);
}

/** A step's name: `+5 %`. */
export function changeName(change: number): string {
  return `+${(change * 100).toFixed(0)} %`;
}

export function headlineOf({ machines, total }: ErrorRateList): string {
  const where = machines.length === 1 ? `On ${machines[0]?.machine}` : "On these machines";
  const [p50, p99] = FIGURES.map((figure) => oftenOf(total[figure]));
  const step = foundText(total.p50);
  if (p50 == null || step === null) {
    return `${where} no series has enough points yet to say how often a change is told by mistake.`;
  }
  const alarms = `a change of p50 is told by mistake ${p50}${p99 == null ? "" : `, one of p99 ${p99}`}`;
  return `${where} ${alarms}; ${step}.`;
}

export function comparisonsOf({ total }: ErrorRateList): string {
  const { count, of_count } = total.false_comparisons;
  if (of_count === 0) {
    return "No run has cases with twelve repetitions, so that half of them could be compared with the other half.";
  }
  const verb = count === 0 ? "none found" : count === 1 ? "1 found" : `${formatCount(count)} found`;
  return `Of ${counted(of_count, "comparison")} of a commit with itself, ${verb} a change that is not there.`;
}

function oftenOf({ false_alarms: { count, share, interval } }: HistoryErrorRates): string | null {
  if (share === null || interval === null) return null;
  const often = (rate: number) => `once in ${onceIn(rate).slice("1 in ".length)} points`;
  const [, high] = interval as [number, number];
  return count === 0 ? `less than ${often(high)}` : `about ${often(share)}`;
}

function foundText({ steps }: HistoryErrorRates): string | null {
  const step = ofChange(steps, TOLD_CHANGE);
  if (step?.found.share === undefined || step.found.share === null) return null;
  const delay =
    step.median_delay_points === null
      ? ""
      : `, after a median of ${counted(step.median_delay_points, "point")}`;
  return `a step of 5 % of p50 is found in ${percent(step.found.share)} of 100 cases${delay}`;
}
