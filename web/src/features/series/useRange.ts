/**
 * The stretch of an axis that is shown: the address keeps it, and while it is moved along it is moved here first, so that
 * the chart follows the hand.
 */
import { useEffect, useRef, useState } from "react";

type Range = readonly [number, number];

/** How long after the last movement the address follows. */
const SETTLED_MS = 200;

export function useRange(extent: Range, kept: Range | null, onRange: (range: Range | null) => void) {
  const [moved, setMoved] = useState<Range | null>(null);
  const latest = useRef(onRange);
  latest.current = onRange;
  useEffect(() => {
    if (moved === null) return;
    const timer = setTimeout(() => {
      latest.current(moved);
      setMoved(null);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [moved]);
  const shown = within(moved ?? kept ?? extent, extent);
  return {
    shown,
    zoom: (range: Range | null) => {
      setMoved(null);
      onRange(keptRange(range, extent));
    },
    pan: (by: number) => {
      if (isWhole(shown, extent)) return;
      setMoved(movedBy(shown, by, extent));
    },
  };
}

/** What the address keeps of a range: what of it there is, `null` where that is all. */
export function keptRange(range: Range | null, extent: Range): Range | null {
  return range === null || isWhole(range, extent) ? null : within(range, extent);
}

/** A range moved along, up to the ends. */
export function movedBy([from, to]: Range, by: number, [first, last]: Range): Range {
  const possible = Math.min(Math.max(by, first - from), last - to);
  return [from + possible, to + possible];
}

function within([from, to]: Range, [first, last]: Range): Range {
  const [low, high] = [Math.max(from, first), Math.min(to, last)];
  return low < high ? [low, high] : [first, last];
}

function isWhole([from, to]: Range, [first, last]: Range): boolean {
  return from <= first && to >= last;
}
