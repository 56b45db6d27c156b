/** Where a tooltip covers the fewest points of the lines. Pure. */
import type { Position } from "./nearest";

/** A corner of the crosshair: to its right or left, at the top or the bottom of the drawing area. */
export type Corner = { isRight: boolean; isTop: boolean };

type Area = { x: number; y: number; width: number; height: number };

/** The usual size of a tooltip; its real size is known only after it is drawn. */
export const TOOLTIP_PX = { width: 240, height: 150 };

/** The freest corner. By default at the top, on the side with more room, where it must fit. */
export function freeCorner(at: number, area: Area, lines: readonly (readonly Position[])[]): Corner {
  const isRight = at < area.x + area.width / 2;
  const room = isRight ? at - area.x : area.x + area.width - at;
  const { width, height } = TOOLTIP_PX;
  const sides = room >= width ? [isRight, !isRight] : [isRight];
  const corners = [true, false].flatMap((isTop) => sides.map((side) => ({ isRight: side, isTop })));
  const covered = corners.map(({ isRight: right, isTop }) => {
    const [left, end] = right ? [at, at + width] : [at - width, at];
    const middle = isTop ? area.y + height : area.y + area.height - height;
    const isCovered = ([x, y]: Position) => x >= left && x <= end && (isTop ? y <= middle : y >= middle);
    return lines.reduce((sum, points) => sum + points.filter(isCovered).length, 0);
  });
  return corners[covered.indexOf(Math.min(...covered))] ?? { isRight, isTop: true };
}
