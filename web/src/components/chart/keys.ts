/** What keys do while a chart over commits has the focus: they pin, zoom and move as the pointer does. */
import type { KeyboardEvent } from "react";
import { nearest } from "./nearest";

export type Keyed = {
  stops: readonly number[];
  onPin: (x: number) => void;
  /** `null`: as far as there is anything. */
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

/** The stretch that a key shows, around the pinned point; `undefined` for other keys. */
function zoomOf(key: string, pinned_x: number, [from, to]: readonly [number, number]) {
  const factor = { "+": 0.5, "=": 0.5, "-": 2 }[key];
  if (key === "0") return null;
  return factor === undefined ? undefined : zoomed(pinned_x, [from, to], factor);
}

/** A stretch made so many times as wide around a point, which stays where it is on the screen. */
export function zoomed(x: number, [from, to]: readonly [number, number], factor: number) {
  const share = Math.min(Math.max((x - from) / (to - from || 1), 0), 1);
  const width = (to - from) * factor;
  return [x - share * width, x + (1 - share) * width] as const;
}

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

/** The place that a key leads to, which may lie beside the chart; `null` for keys that mean nothing here. */
export function placeOfKey(key: string, current: number, last: number): number | null {
  if (key === "Home") return 0;
  if (key === "End") return last;
  const step = STEPS[key];
  return step === undefined ? null : current + step;
}
