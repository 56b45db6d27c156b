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

export type Position = readonly [x: number, y: number];

/** The index of the line that passes nearest to a position, at most `reach` away; -1 if there is none. */
export function nearestLine(
  lines: readonly (readonly Position[])[],
  position: Position,
  reach: number,
): number {
  const distances = lines.map((points) =>
    points.reduce((least, end, place) => {
      const start = points[place - 1] ?? end;
      return Math.min(least, distanceTo(start, end, position));
    }, Number.POSITIVE_INFINITY),
  );
  const least = Math.min(...distances);
  return least <= reach ? distances.indexOf(least) : -1;
}

/** The distance of a position to a line between two points. */
function distanceTo([ax, ay]: Position, [bx, by]: Position, [x, y]: Position): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx ** 2 + dy ** 2;
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(ax + part * dx - x, ay + part * dy - y);
}
