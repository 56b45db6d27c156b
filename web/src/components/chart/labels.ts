/** Layout of labels without overlap. */

const MARKER_GAP_PX = 10;

/**
 * The positions closest to the wanted ones (least squares), in order, at least `gap` apart and, if they fit, within `from`
 * and `to`.
 */
export function spread(wanted: number[], gap: number, from: number, to: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  // Without the gaps, the positions only have to ascend: neighbours that do not are merged at their mean.
  const merged: { sum: number; count: number }[] = [];
  for (const [place, index] of order.entries()) {
    let last = { sum: (wanted[index] ?? from) - place * gap, count: 1 };
    let before = merged.at(-1);
    while (before !== undefined && before.sum / before.count > last.sum / last.count) {
      last = { sum: before.sum + last.sum, count: before.count + last.count };
      merged.pop();
      before = merged.at(-1);
    }
    merged.push(last);
  }
  const end = Math.max(from, to - (wanted.length - 1) * gap);
  const positions = merged.flatMap(({ sum, count }) =>
    new Array<number>(count).fill(Math.min(end, Math.max(from, sum / count))),
  );
  const placed = new Array<number>(wanted.length).fill(from);
  for (const [place, index] of order.entries()) placed[index] = (positions[place] ?? from) + place * gap;
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
