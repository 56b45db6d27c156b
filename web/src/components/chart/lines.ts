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

const FAMILY_HUES = [1, 2, 3, 4, 5, 6];
/** Families with their own hue; the others share the rest. */
const OWN_HUES: Record<string, number> = {
  "shared-memory": 1,
  socket: 2,
  "message-queue": 3,
  pipe: 4,
  "out-of-line": 5,
};
const SHADES = ["", "-deep", "-pale"];
/** Lines that one hue can distinguish. Each of its shades is then in four of them. */
const PER_HUE = SHADES.length * DASHES.length;

/** Adds styles by family: one hue each, whose lines differ in shade, then in dash. Beyond 12, a family continues in another hue. */
export function withFamilyStyles<Line extends { family: string }>(
  lines: readonly Line[],
): (Line & { style: LineStyle })[] {
  const taken = new Set(lines.map(({ family }) => OWN_HUES[family]));
  const free = FAMILY_HUES.filter((hue) => !taken.has(hue));
  const counts = new Map<number, number>();
  const countOf = (hue: number) => counts.get(hue) ?? 0;
  const hues = new Map<string, number>();
  return lines.map((line) => {
    let hue = hues.get(line.family) ?? OWN_HUES[line.family];
    if (hue === undefined || countOf(hue) >= PER_HUE) {
      hue = free.reduce((least, other) => (countOf(other) < countOf(least) ? other : least));
    }
    hues.set(line.family, hue);
    const member = countOf(hue);
    counts.set(hue, member + 1);
    return { ...line, style: familyStyle(hue, member) };
  });
}

function familyStyle(hue: number, member: number): LineStyle {
  return {
    stroke: `var(--family-${hue}${SHADES[member % SHADES.length]})`,
    ink: `var(--family-${hue})`,
    dash: DASHES[Math.floor(member / SHADES.length) % DASHES.length] ?? "",
    marker: MARKERS[member % MARKERS.length] ?? "circle",
  };
}

const OTHER_HUES = [6, 5];

/** The style of another series in a trend, in hues that mean neither a percentile nor a change. */
export function otherStyle(index: number): LineStyle {
  return familyStyle(OTHER_HUES[index % OTHER_HUES.length] ?? 6, Math.floor(index / OTHER_HUES.length));
}

/** More colours are hard to distinguish. */
const COLOURED_MAX = 8;

/** The keys of the lines in colour: the current ones, or without any, the first ones. */
export function colouredOf(lines: readonly { key: string; current: boolean }[]): Set<string> {
  const current = lines.filter((line) => line.current);
  return new Set((current.length > 0 ? current : lines).slice(0, COLOURED_MAX).map(({ key }) => key));
}

/** A line in the background: grey, with its own dash and marker. */
export function contextStyle(style: LineStyle): LineStyle {
  return { ...style, stroke: "var(--context)", ink: "var(--muted)" };
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
