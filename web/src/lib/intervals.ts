/** Sizes that are calculated, with the interval that they are in: `19 KiB [17, 22]`. */
import { formatBytes } from "./units";

/** A size with the ends of its interval; `null`: not within what was measured. */
export type SizeInterval = { x: number; from: number | null; to: number | null };

/** A calculated size: two digits of it, more only where a whole number has more. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return formatBytes(Math.round(bytes));
  const unit = 1024 ** Math.floor(Math.log2(bytes) / 10);
  const scaled = bytes / unit;
  return formatBytes((scaled >= 10 ? Math.round(scaled) : Number(scaled.toPrecision(2))) * unit);
}

/** A size and its interval in brackets; a unit that all have is written once. */
export function intervalText({ x, from, to }: SizeInterval): string {
  const size = sizeOf(x);
  return `${size} [${[from, to].map((bound) => (bound === null ? "not bounded" : boundText(bound, size))).join(", ")}]`;
}

function boundText(bytes: number, size: string): string {
  const text = sizeOf(bytes);
  const unitOf = (quantity: string) => quantity.split(" ")[1];
  return unitOf(text) === unitOf(size) ? (text.split(" ")[0] ?? text) : text;
}
