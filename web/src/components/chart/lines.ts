/** Line styles that do not depend on colour alone: hue, dash and marker. */

export type LineStyle = { stroke: string; ink: string; dash: string; marker: Marker };

export type Marker = "circle" | "square" | "triangle" | "diamond";

const HUES = [1, 2, 3, 4];
const DASHES = ["", "5 3", "1.5 3", "9 3 1.5 3"];
const MARKERS: Marker[] = ["circle", "square", "triangle", "diamond"];

/** The style of a line by index; 16 are distinct. */
export function lineStyle(index: number): LineStyle {
  const hue = HUES[index % HUES.length] ?? 1;
  return {
    stroke: `var(--data-${hue})`,
    ink: `var(--data-${hue}-ink)`,
    dash: DASHES[Math.floor(index / HUES.length) % DASHES.length] ?? "",
    marker: MARKERS[index % MARKERS.length] ?? "circle",
  };
}

/** The outline of a marker around a point, as an SVG path. */
export function markerPath(marker: Marker, x: number, y: number, radius: number): string {
  const r = radius;
  switch (marker) {
    case "circle":
      return `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`;
    case "square":
      return `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case "triangle":
      return `M${x},${y - 1.2 * r}l${1.2 * r},${2.1 * r}h${-2.4 * r}z`;
    case "diamond":
      return `M${x},${y - 1.4 * r}l${1.4 * r},${1.4 * r}l${-1.4 * r},${1.4 * r}l${-1.4 * r},${-1.4 * r}z`;
  }
}

export function crossPath(x: number, y: number, arm: number): string {
  return `M${x - arm},${y - arm}l${2 * arm},${2 * arm}M${x - arm},${y + arm}l${2 * arm},${-2 * arm}`;
}
