/** Sizes that are calculated, with the interval that they are in: `19 KiB [17, 22]`. */
import { formatBytes } from "./units";

/** A size with the ends of its interval; `null`: not within what was measured. */
export type SizeInterval = { x: number; from: number | null; to: number | null };

/** A narrow interval takes as many digits, and no more. */
const DIGITS_MAX = 4;

/** A calculated size: two digits of it, more only where a whole number has more. */
export function sizeOf(bytes: number, digits = 2): string {
  if (bytes < 1024) return formatBytes(Math.round(bytes));
  const unit = 1024 ** Math.floor(Math.log2(bytes) / 10);
  const scaled = bytes / unit;
  const isWhole = Math.round(scaled) >= 10 ** (digits - 1);
  return formatBytes((isWhole ? Math.round(scaled) : Number(scaled.toPrecision(digits))) * unit);
}

/** A size and both ends of its interval, with as many digits as tell them apart; what is not bounded says so. */
export function intervalParts({ x, from, to }: SizeInterval): { size: string; low: string; high: string } {
  const bounds = [from, to].flatMap((bound) => bound ?? []);
  const isToldApart = (digits: number) =>
    bounds.every((bound) => bound === x || sizeOf(bound, digits) !== sizeOf(x, digits));
  let digits = 2;
  while (digits < DIGITS_MAX && !isToldApart(digits)) digits++;
  const text = (bound: number | null) => (bound === null ? "not bounded" : sizeOf(bound, digits));
  return { size: sizeOf(x, digits), low: text(from), high: text(to) };
}

/** The same in one text, with the interval in brackets; a unit that all have is written once. */
export function intervalText(interval: SizeInterval): string {
  const { size, low, high } = intervalParts(interval);
  const unit = size.split(" ")[1];
  const brief = (text: string) => (text.endsWith(` ${unit}`) ? (text.split(" ")[0] ?? text) : text);
  return `${size} [${brief(low)}, ${brief(high)}]`;
}
