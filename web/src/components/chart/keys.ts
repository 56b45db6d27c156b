/** Keyboard control of charts over commits: pin, zoom and scroll. */
import type { KeyboardEvent } from "react";
import { nearest } from "./nearest";

export type Keyed = {
  stops: readonly number[];
  onPin: (x: number) => void;
  /** `null`: the full range. */
  onZoom: (range: readonly [number, number] | null) => void;
};

export function onChartKey(
  event: KeyboardEvent,
  pinned_x: number,
  domain: readonly [number, number],
  { stops, onPin, onZoom }: Keyed,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const place = nearest(stops, pinned_x);
  const target = placeOfKey(event.key, place, stops.length - 1);
  const zoomed = zoomOf(event.key, pinned_x, domain);
  if (target === null && zoomed === undefined) return;
  event.preventDefault();
  if (zoomed !== undefined) onZoom(zoomed);
  const x = target === null ? undefined : stops[Math.min(Math.max(target, 0), stops.length - 1)];
  if (x !== undefined) onPin(x);
}

/** The range after a zoom key, around the pinned point; `undefined` for other keys. */
function zoomOf(key: string, pinned_x: number, [from, to]: readonly [number, number]) {
  const factor = { "+": 0.5, "=": 0.5, "-": 2 }[key];
  if (key === "0") return null;
  return factor === undefined ? undefined : zoomed(pinned_x, [from, to], factor);
}

/** A range scaled around a point, which keeps its position on the screen. */
export function zoomed(x: number, [from, to]: readonly [number, number], factor: number) {
  const share = Math.min(Math.max((x - from) / (to - from || 1), 0), 1);
  const width = (to - from) * factor;
  return [x - share * width, x + (1 - share) * width] as const;
}

/** A range moved as a whole, up to the ends of the full range. */
export function moved(
  [from, to]: readonly [number, number],
  by: number,
  [first, last]: readonly [number, number],
): [number, number] {
  const possible = Math.min(Math.max(by, first - from), last - to);
  return [from + possible, to + possible];
}

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

/** The index selected by a key, possibly outside the range; `null` for other keys. */
export function placeOfKey(key: string, current: number, last: number): number | null {
  if (key === "Home") return 0;
  if (key === "End") return last;
  const step = STEPS[key];
  return step === undefined ? null : current + step;
}
