/** What stands beside a place of the drawing area, on the side that has more room: put over the chart, not into its picture. */
import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { usePlotArea } from "recharts";

type Props = {
  /** In the picture's own coordinates. */
  at: number;
  top: number;
  /** The element that it is put into. */
  within: RefObject<HTMLElement | null>;
  children: ReactNode;
};

const DISTANCE_PX = 12;

export function TooltipBeside({ at, top, within, children }: Props) {
  const area = usePlotArea();
  if (area === undefined || within.current === null) return null;
  const isLeft = at < area.x + area.width / 2;
  const beside = isLeft ? { left: at + DISTANCE_PX } : { right: `calc(100% - ${at - DISTANCE_PX}px)` };
  return createPortal(
    <div className="crosshair-tooltip" style={{ top, ...beside }}>
      {children}
    </div>,
    within.current,
  );
}
