/** Finding the place that is meant by a position between places. */

/** The place of the value next to a position, in ascending values; -1 of none. */
export function nearest(values: readonly number[], position: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [values[low - 1], values[low]];
  if (before === undefined) return after === undefined ? -1 : low;
  if (after === undefined) return low - 1;
  return position - before <= after - position ? low - 1 : low;
}
