/** Loads the data of the overview: the selected slice and its details. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import {
  canariesQuery,
  facetsQuery,
  jobsQuery,
  machinesQuery,
  newestBudgetQuery,
  regressionQuery,
  regressionsQuery,
  runQuery,
  runsQuery,
  type SeriesAsked,
  seriesListQuery,
  seriesQuery,
  suspicionsQuery,
  sweepQuery,
} from "@/api/queries";
import type { Regression, RegressionDetail, SeriesSummary } from "@/api/types";
import { IMPORTED, valuesOf } from "@/lib/choices";
import { OPEN } from "@/lib/queue";
import { askedFor, clearest } from "@/lib/regressions";
import {
  chosenScenario,
  chosenSlice,
  chosenTraffic,
  detailedRuns,
  newestMachine,
  seriesOfSlice,
  sliceOptions,
} from "./data";
import type { OverviewSearch } from "./search";

/** The selected slice and the other options; `null` without results. */
export const measuredQuery = (project: string, search: OverviewSearch) =>
  queryOptions({
    queryKey: ["measured", project, search.scenario, search.mode, search.placement, search.bytes],
    queryFn: async ({ client }) => {
      const facets = (asked: SeriesAsked) => client.fetchQuery(facetsQuery(project, asked));
      const all = await facets({});
      const chosen = chosenScenario(all, search);
      if (chosen === undefined) return null;
      const within = await facets({ scenario: chosen });
      const options = sliceOptions(all, within);
      const traffic = chosenTraffic(chosen, options, search);
      const asked = { scenario: chosen, mode: traffic.mode, placement: traffic.placement };
      const series = await client.fetchQuery(
        seriesListQuery(project, { ...asked, message_bytes: String(traffic.bytes) }),
      );
      return {
        traffic,
        options,
        series,
        machines: valuesOf(within.machine),
        transports: valuesOf(within.transport),
      };
    },
  });

export const SWEPT_SCENARIO = "roundtrip";

/** The round trips of a machine by message size: one request for all modes and placements. */
export const machineSweepQuery = (project: string, machine: string) =>
  sweepQuery(project, { over: "message_bytes", machine, scenario: SWEPT_SCENARIO });

export const importedQuery = (project: string) => seriesListQuery(project, { scenario: IMPORTED });

/** Loads everything that affects the height of texts and tables, so that the layout does not shift. */
export async function loadOverview(queryClient: QueryClient, project: string, search: OverviewSearch) {
  const [measured, { runs }, machines, { regressions }] = await Promise.all([
    queryClient.ensureQueryData(measuredQuery(project, search)),
    queryClient.ensureQueryData(runsQuery(project, {})),
    queryClient.ensureQueryData(machinesQuery(project)),
    queryClient.ensureQueryData(regressionsQuery(project, askedFor({}))),
    queryClient.ensureQueryData(importedQuery(project)),
    queryClient.prefetchQuery(jobsQuery(project, OPEN)),
    queryClient.prefetchQuery(suspicionsQuery(project, { state: "waiting" })),
  ]);
  const slice = measured === null ? null : chosenSlice(measured.series, measured.traffic, search.parameters);
  const shown = slice === null ? [] : seriesOfSlice(measured?.series ?? [], slice);
  const machine = newestMachine(runs, measured?.series ?? []);
  await Promise.all([
    ...(machine === undefined ? [] : [queryClient.prefetchQuery(machineSweepQuery(project, machine))]),
    ...(shown.length > 0 ? [queryClient.prefetchQuery(budgetsQuery(shown))] : []),
    ...detailedRuns(runs, measured?.series ?? []).map(({ run_id, series_ids }) =>
      queryClient.prefetchQuery(runQuery(run_id, series_ids)),
    ),
    ...machines.map(({ machine }) => queryClient.prefetchQuery(canariesQuery(project, machine))),
    ...shownRegressions(regressions).map((regression) => loadRegression(queryClient, project, regression)),
  ]);
}

/** Where the time of a message goes, for each series of a slice. */
export const budgetsQuery = (series: SeriesSummary[]) =>
  newestBudgetQuery(series.map(({ series_id }) => series_id));

async function loadRegression(queryClient: QueryClient, project: string, regression: Regression) {
  const { regression_id } = regression;
  const detail = await queryClient.fetchQuery(regressionQuery(project, regression_id)).catch(() => undefined);
  if (detail === undefined) return;
  const [row] = rowsOf([regression], [detail]);
  if (row?.worst != null) await queryClient.prefetchQuery(seriesQuery(row.worst.series_id));
}

/** The inbox has all. */
const ROWS_MAX = 8;

export type RegressionRow = ReturnType<typeof rowsOf>[number];

/** The listed regressions: untriaged ones first, then by size. */
export function shownRegressions(regressions: readonly Regression[]): Regression[] {
  const size = ({ worst_change }: Regression) => Math.abs(worst_change ?? 0);
  const isNew = ({ state }: Regression) => Number(state === "new");
  return regressions.toSorted((a, b) => isNew(b) - isNew(a) || size(b) - size(a)).slice(0, ROWS_MAX);
}

export function rowsOf(shown: readonly Regression[], details: readonly RegressionDetail[]) {
  return shown.map((regression) => {
    const detail = details.find((entry) => entry.regression.regression_id === regression.regression_id);
    const [worst] = clearest(detail?.change_points ?? [], regression.direction);
    return { regression, worst: worst ?? null, culprit: detail?.culprits[0] };
  });
}
