/** Nearest-value search. */

/** The index of the nearest of ascending values; -1 if empty. */
export function nearest(values: readonly number[], position: number): number {
  return nearestOf(values, (value) => value, position);
}

/** The same for entries in ascending order of a value. */
export function nearestOf<T>(
  entries: readonly T[],
  positionOf: (entry: T) => number,
  position: number,
): number {
  const valueAt = (place: number) => {
    const entry = entries[place];
    return entry === undefined ? undefined : positionOf(entry);
  };
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((valueAt(middle) ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [valueAt(low - 1), valueAt(low)];
  if (before === undefined) return after === undefined ? -1 : low;
  if (after === undefined) return low - 1;
  return position - before <= after - position ? low - 1 : low;
}
