/** Moves labels apart that would lie on each other. */

const MARKER_GAP_PX = 10;

/**
 * Positions as near as possible to the wanted ones, in their order, at least `gap` apart and within `from` and
 * `to` as far as they fit.
 */
export function spread(wanted: number[], gap: number, from: number, to: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = new Array<number>(wanted.length).fill(from);
  let floor = from;
  for (const index of order) {
    const position = Math.max(wanted[index] ?? from, floor);
    placed[index] = position;
    floor = position + gap;
  }
  let ceiling = to;
  for (const index of order.toReversed()) {
    const position = Math.min(placed[index] ?? to, ceiling);
    placed[index] = position;
    ceiling = position - gap;
  }
  return placed;
}

/**
 * A row for each of several vertical marks whose names stand to their right, positions ascending: 0 is nearest to
 * the drawing area. A name stands above the marks that it would otherwise be crossed by.
 */
export function rowsOfMarkers(positions: number[], widths: number[]): number[] {
  const rows = new Array<number>(positions.length).fill(0);
  for (let index = positions.length - 1; index >= 0; index--) {
    const end = (positions[index] ?? 0) + (widths[index] ?? 0) + MARKER_GAP_PX;
    for (let later = index + 1; later < positions.length; later++) {
      if ((positions[later] ?? 0) < end) rows[index] = Math.max(rows[index] ?? 0, (rows[later] ?? 0) + 1);
    }
  }
  return rows;
}
