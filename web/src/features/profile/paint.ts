/** Draws a flame graph on a canvas. */
import {
  changeOf,
  isKernel,
  isRemoved,
  LEVELS,
  levelOf,
  type Match,
  nameOf,
  ROOT,
  type Screen,
  visitDrawn,
} from "@/lib/flame";

export const ROW_PX = 18;
/** Frames narrower than this have no gap to the next. */
const GAP_FROM_PX = 3;
/** Frames narrower than this have no name. */
const NAME_FROM_PX = 36;
const PADDING_PX = 4;
/** The opacity of frames that the search does not match, and of callers of the zoomed frame. */
const UNMATCHED = 0.25;
const CALLER = 0.6;
/** The distance between the stripes of removed code. */
const STRIPES_PX = 6;

/** The colour of a step of change, from `-LEVELS` to `LEVELS`. */
export function levelFill(level: number): string {
  const strongest = level < 0 ? "var(--faster-fill)" : "var(--slower-fill)";
  return `color-mix(in srgb, ${strongest} ${(100 * Math.abs(level)) / LEVELS}%, var(--selected))`;
}

export const PROGRAM_FILL = "var(--data-1-soft)";
export const KERNEL_FILL = "var(--data-3-soft)";

type Palette = {
  levels: string[];
  program: string;
  kernel: string;
  end: string;
  ink: string;
  stripe: string;
};

/** The colours of the theme. A canvas does not resolve CSS variables, so its own style does. */
export function paletteOf(canvas: HTMLCanvasElement): Palette {
  const resolved = (fill: string) => {
    canvas.style.color = fill;
    return getComputedStyle(canvas).color;
  };
  const levels = Array.from({ length: 2 * LEVELS + 1 }, (_, index) => resolved(levelFill(index - LEVELS)));
  const palette = {
    levels,
    program: resolved(PROGRAM_FILL),
    kernel: resolved(KERNEL_FILL),
    end: resolved("var(--selected)"),
    ink: resolved("var(--ink)"),
    stripe: resolved("color-mix(in srgb, var(--ink) 25%, transparent)"),
  };
  canvas.style.color = "";
  return palette;
}

type Look = { palette: Palette; match: Match | null; largest: number };

/** Draws all rows; the canvas gets their height. */
export function paint(canvas: HTMLCanvasElement, screen: Screen, rowCount: number, look: Look): void {
  const { flame, layout, zoomed, width_px } = screen;
  const { palette, match, largest } = look;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width_px * ratio);
  canvas.height = Math.round(rowCount * ROW_PX * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  const { fontSize, fontFamily } = getComputedStyle(canvas);
  context.font = `${fontSize} ${fontFamily}`;
  context.textBaseline = "middle";
  // The font is monospaced, so the number of characters that fit needs no further measuring.
  const character_px = context.measureText("0").width;
  const zoomedRow = flame.depths[zoomed] ?? 0;
  const isDifference = layout.view === "difference";
  const fillOf = (frame: number) => {
    if (isDifference) return palette.levels[LEVELS + levelOf(changeOf(flame, frame), largest)];
    if (frame === ROOT) return palette.end;
    return isKernel(nameOf(flame, frame)) ? palette.kernel : palette.program;
  };
  visitDrawn(screen, (frame, left, width, row) => {
    const isMatched = match === null || match.frames[frame] === 1;
    context.globalAlpha = isMatched ? (row < zoomedRow ? CALLER : 1) : UNMATCHED;
    context.fillStyle = fillOf(frame) ?? palette.end;
    const [top, drawn] = [row * ROW_PX, width < GAP_FROM_PX ? width : width - 1];
    context.fillRect(left, top, drawn, ROW_PX - 1);
    if (isDifference && isRemoved(flame, frame)) stripe(context, left, top, drawn, palette.stripe);
    if (width < NAME_FROM_PX) return;
    const room = Math.floor((drawn - 2 * PADDING_PX) / character_px);
    context.fillStyle = palette.ink;
    context.fillText(shortened(nameOf(flame, frame), room), left + PADDING_PX, top + ROW_PX / 2);
  });
}

function stripe(context: CanvasRenderingContext2D, left: number, top: number, width: number, colour: string) {
  const height = ROW_PX - 1;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.beginPath();
  for (let x = left - height; x < left + width; x += STRIPES_PX) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.strokeStyle = colour;
  context.stroke();
  context.restore();
}

export function shortened(name: string, room: number): string {
  if (name.length <= room) return name;
  return room < 2 ? "" : `${name.slice(0, room - 1)}…`;
}
