/** The lines and changes of all that the overview draws, asked for at once. */
import { useQuery } from "@tanstack/react-query";
import { changePointsQuery, lineQuery } from "@/api/queries";
import type { ChangePoint, LineSeries } from "@/api/types";
import { distinct, groupBy } from "@/lib/collections";

/** Points that a line reaches back. */
const LINE_POINTS = 60;

export function useDrawn(seriesIds: number[]): {
  lines: ReadonlyMap<number, LineSeries>;
  changes: ReadonlyMap<number, ChangePoint[]>;
} {
  const ids = distinct(seriesIds);
  const asked = { quantiles: "p50,p99", repetitions: false, last: LINE_POINTS };
  const { data: chart } = useQuery(lineQuery(ids, asked));
  const { data: changes } = useQuery(changePointsQuery(ids));
  return {
    // The answer is text only where CSV is asked for.
    lines: new Map(typeof chart === "object" ? chart.series.map((line) => [line.series_id, line]) : []),
    changes: groupBy(changes?.change_points ?? [], ({ series_id }) => series_id),
  };
}
