/** Changes of times as people read them: shares in percent, with as many digits as tell them apart. */
import { ascending } from "@/lib/collections";
import { unbroken } from "@/lib/units";

/** The ends of an interval; null where there is none. */
export function boundsOf(interval: readonly number[] | null | undefined): [low: number, high: number] | null {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

/** How large a change is, whichever way it goes: `15.4 %`. */
export function sizeText(share: number): string {
  return `${digitsOf(share)} %`;
}

/** By how much times are longer: `+15.4 %`; shorter by `−3.0 %`. */
export function signedText(share: number): string {
  return `${share < 0 ? MINUS : "+"}${digitsOf(share)} %`;
}

/** An interval without its unit: `12.1 to 18.9`, `−2.1 to 3.0`. */
export function intervalText([low, high]: [number, number]): string {
  return [low, high].map((end) => `${end < 0 ? MINUS : ""}${digitsOf(end)}`).join(" to ");
}

/** The same of sizes, the smaller one first: of a change that is told as slower or faster. */
export function sizesText([low, high]: [number, number]): string {
  const isOneWay = low < 0 === high < 0;
  return isOneWay
    ? [low, high].map(Math.abs).sort(ascending).map(digitsOf).join(" to ")
    : intervalText([low, high]);
}

/** A text in which no number is apart from its unit, and no interval is cut. */
export function unbrokenShares(text: string): string {
  return text.replace(/[\d.,]+ %|\([\d.,−]+ to [\d.,−]+\)/g, unbroken);
}

const MINUS = "\u2212";

function digitsOf(share: number): string {
  const percent = Math.abs(share * 100);
  if (percent >= 99.95) return Math.round(percent).toLocaleString("en");
  return percent.toFixed(percent === 0 || percent >= 0.095 ? 1 : 2);
}
