/** Layout of labels without overlap. */

const MARKER_GAP_PX = 10;

/** Positions closest to the wanted ones, in order, at least `gap` apart and, if they fit, within `from` and `to`. */
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
 * Rows for vertical marks with names to their right, positions ascending; row 0 is next to the drawing area. A name is
 * above the marks that would cross it.
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
