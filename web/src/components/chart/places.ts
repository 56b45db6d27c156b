/** How the keyboard moves along the places of a chart. */

const PAGE = 10;

/** The place that a key leads to, which may lie beside the chart; `null` for keys that mean nothing here. */
export function placeOfKey(key: string, current: number, last: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return current - 1;
    case "ArrowRight":
    case "ArrowUp":
      return current + 1;
    case "PageDown":
      return current - PAGE;
    case "PageUp":
      return current + PAGE;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
