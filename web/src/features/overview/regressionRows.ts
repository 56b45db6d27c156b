/** The open regressions that the overview shows, each told by the series that changed most. Pure. */
import type { ChangePoint, Culprit, Regression, RegressionDetail } from "@/api/types";
import { clearest } from "@/lib/regressions";

/** More than these are in the inbox. */
const ROWS_MAX = 8;

/** A regression, and its clearest change as far as its details are known. */
export type RegressionRow = {
  regression: Regression;
  worst: ChangePoint | null;
  culprit: Culprit | undefined;
};

/** Those that are shown: first what nobody has looked at, the largest change first. */
export function shownRegressions(regressions: readonly Regression[]): Regression[] {
  const size = ({ worst_change }: Regression) => Math.abs(worst_change ?? 0);
  const isNew = ({ state }: Regression) => Number(state === "new");
  return regressions.toSorted((a, b) => isNew(b) - isNew(a) || size(b) - size(a)).slice(0, ROWS_MAX);
}

/** The rows of those that are shown. */
export function rowsOf(
  shown: readonly Regression[],
  details: ReadonlyMap<number, RegressionDetail>,
): RegressionRow[] {
  return shown.map((regression) => {
    const detail = details.get(regression.regression_id);
    const [worst] = clearest(detail?.change_points ?? [], regression.direction);
    return { regression, worst: worst ?? null, culprit: detail?.culprits[0] };
  });
}
