/** Ranges selected with a brush. Pure. */
import { moved } from "./keys";

export type Range = readonly [from: number, to: number];
export type End = "from" | "to";

/** Distance within which an end is grabbed. */
const END_REACH_PX = 8;
/** The narrowest window, as a share of the full range. */
const NARROWEST = 0.005;

/** The part of the window at a position; `null` outside. */
export function grabbed(x: number, [from, to]: Range, perPixel: number): End | "window" | null {
  const reach = END_REACH_PX * perPixel;
  const [toFrom, toEnd] = [Math.abs(x - from), Math.abs(x - to)];
  if (Math.min(toFrom, toEnd) <= reach) return toFrom < toEnd ? "from" : "to";
  return x > from && x < to ? "window" : null;
}

/** The window after moving it or one of its ends, within the full range. */
export function brushed(shown: Range, part: End | "window", by: number, extent: Range): Range {
  const [[from, to], [first, last]] = [shown, extent];
  const least = Math.max((last - first) * NARROWEST, Math.min(1, last - first));
  switch (part) {
    case "from":
      return [Math.min(Math.max(first, from + by), to - least), to];
    case "to":
      return [from, Math.max(Math.min(last, to + by), from + least)];
    case "window":
      return moved(shown, by, extent);
  }
}

/** The step of a key: a hundredth of the full range, or a tenth; `null` for other keys. */
export function stepOfKey(key: string, [first, last]: Range): number | null {
  const step = Math.max(1, (last - first) / 100);
  const by = { ArrowLeft: -step, ArrowRight: step, PageUp: 10 * step, PageDown: -10 * step }[key];
  return by ?? null;
}
