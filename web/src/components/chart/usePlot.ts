/** The coordinate system of a chart, for its children. */
import { useMemo } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";

/** The drawing area and value positions; `null` until the chart has a size. */
export function usePlot() {
  const area = usePlotArea();
  const xScale = useXAxisScale();
  const yScale = useYAxisScale();
  return useMemo(() => {
    if (area === undefined || xScale === undefined || yScale === undefined) return null;
    return {
      area,
      right: area.x + area.width,
      bottom: area.y + area.height,
      x: (value: number) => xScale(value) ?? area.x,
      y: (value: number) => yScale(value) ?? area.y,
    };
  }, [area, xScale, yScale]);
}

export type PlotPlaces = NonNullable<ReturnType<typeof usePlot>>;
