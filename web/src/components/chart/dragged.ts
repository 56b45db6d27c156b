/** Geometry of draggable bars. Pure. */
import { linearScale, type Scale } from "./ticks";

/** Headroom above the highest bar. */
const ROOM = 1.25;
/** Key steps over the full height, small and large. */
const STEPS = 40;
const FAR_STEPS = 5;

export function draggedScale(counts: readonly number[]): Scale {
  const most = counts.reduce((largest, count) => Math.max(largest, count), 1) * ROOM;
  const { ticks } = linearScale([0, most], 4);
  return { domain: [0, most], ticks: ticks.filter((tick) => Number.isInteger(tick) && tick <= most) };
}

/** The count for a bar height: a whole number, at least zero. */
export function countAt(above_px: number, height_px: number, top: number): number {
  const share = Math.min(1, Math.max(0, above_px / height_px));
  return Math.round(share * top);
}

/** The new count for a key; `null` for other keys. */
export function countAfter(key: string, count: number, top: number): number | null {
  const step = Math.max(1, Math.round(top / STEPS));
  const far = Math.max(1, Math.round(top / FAR_STEPS));
  if (key === "Delete" || key === "Backspace") return 0;
  const by = { ArrowUp: step, ArrowDown: -step, PageUp: far, PageDown: -far }[key];
  return by === undefined ? null : Math.max(0, count + by);
}

/** The bar selected by a key; `null` for other keys. */
export function barAfter(key: string, place: number, count: number): number | null {
  const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.min(count - 1, Math.max(0, to));
}
