/**
 * A project at a glance: whether anything is worse and who did it, what is open, the machines, every transport on every
 * machine, the newest runs.
 */
import { useQueries, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  errorRatesQuery,
  machinesQuery,
  projectQuery,
  regressionQuery,
  regressionsQuery,
  runQuery,
  runsQuery,
  seriesListQuery,
} from "@/api/queries";
import type { RunDetail, SeriesSummary } from "@/api/types";
import { RunsTable } from "@/components/RunsTable";
import { Section } from "@/components/ui/Section";
import { distinct, groupBy } from "@/lib/collections";
import { isImport, isImported } from "@/lib/imports";
import { toMachines, toRegressions, toRuns } from "@/lib/paths";
import { askedFor, headlineOf } from "@/lib/regressions";
import { formatCount } from "@/lib/units";
import { useFleet } from "@/lib/useFleet";
import { useTitle } from "@/lib/useTitle";
import { Headline } from "./components/Headline";
import { ImportedGrid } from "./components/ImportedGrid";
import { Machines } from "./components/Machines";
import { Onboarding } from "./components/Onboarding";
import { OpenRegressions } from "./components/OpenRegressions";
import { Ranking } from "./components/Ranking";
import { SliceControls } from "./components/SliceControls";
import { TransportGrid } from "./components/TransportGrid";
import { detailedRuns, latestMeasured, transportGrid } from "./data";
import { firstRows, importedGroups, seriesOfGroups } from "./imported";
import { rowsOf, shownRegressions } from "./regressionRows";
import type { OverviewSearch } from "./search";
import { chosenSlice, seriesOfSlice } from "./slice";
import { useDrawn } from "./useDrawn";

const route = getRouteApi("/$project/");

const RECENT_RUNS = 10;

export function OverviewPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { machines } = useSuspenseQuery(machinesQuery(project)).data;
  const { series } = useSuspenseQuery(seriesListQuery(project)).data;
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: open } = useSuspenseQuery(regressionsQuery(project, askedFor({})));
  const { data: errorRates } = useQuery(errorRatesQuery(project));
  useTitle(project);

  // What other tools measured has no transport, no size and no canaries: it stands apart from everything here.
  const measured = series.filter((entry) => !isImported(entry));
  const imported = series.filter(isImported);
  const slice = chosenSlice(measured, search);
  const sliceSeries = seriesOfSlice(measured, slice);
  const details = useRunDetails(detailedRuns(runs, series));
  const { readings, healths, queue } = useFleet(project, machines, runs);
  const rows = useRegressionRows(project, open.regressions, series);

  const having = (some: SeriesSummary[]) =>
    machines.map(({ machine }) => machine).filter((name) => some.some(({ machine }) => machine === name));
  const all = importedGroups(imported, having(imported));
  const first = firstRows(all);
  const groups = search.imported === "all" ? all : first.groups;
  const { lines, changes } = useDrawn([
    ...rows.flatMap(({ worst }) => worst?.change.series_id ?? []),
    ...[...sliceSeries, ...seriesOfGroups(groups)].map(({ series_id }) => series_id),
  ]);

  const latest = summary.latest_run ?? null;
  if (latest === null) return <Onboarding project={project} />;
  const newest = latestMeasured(
    runs.filter((run) => !isImport(run)),
    measured,
    details,
  );

  return (
    <>
      <Headline
        summary={summary}
        run={newest?.run ?? latest}
        errorRates={errorRates}
        isMeasured={newest !== null}
        imported={imported}
        evidence={{
          regressions: open.regressions,
          isWhole: open.next_after === null,
          seenOn: distinct(rows.flatMap((row) => row.machines)),
          machines: machines.map(({ machine }) => ({
            machine,
            isSuspect: healths.get(machine)?.suspectBecause != null,
            isSilent: healths.get(machine)?.silence != null,
          })),
          commitCount: summary.commit_count,
        }}
      />
      {rows.length > 0 && (
        <OpenRegressions
          project={project}
          all={headlineOf(open.regressions, {
            shown: "open",
            direction: "regressed",
            isWhole: open.next_after === null,
          })}
          rows={rows}
          lines={lines}
        />
      )}
      <Section
        title="Machines"
        tools={
          <span className="tools">
            {rows.length === 0 && <Link {...toRegressions(project)}>Earlier changes</Link>}
            <Link {...toMachines(project)}>Machines and queue</Link>
          </span>
        }
      >
        <Machines
          project={project}
          machines={machines}
          details={details}
          readings={readings}
          healths={healths}
          queue={queue}
        />
      </Section>
      {newest !== null && measured.length > 0 && (
        <Section title="Transports" tools={<SliceControls series={measured} slice={slice} />}>
          <Ranking machine={newest.machine} slice={slice} series={sliceSeries} />
          <TransportGrid
            project={project}
            slice={slice}
            machines={having(measured)}
            rows={transportGrid({
              slice,
              series: measured,
              machines: having(measured),
              lines,
              changes,
              runs: details,
            })}
          />
        </Section>
      )}
      {imported.length > 0 && (
        <Section
          title="Imported"
          tools={
            first.leftOut > 0 && (
              <Link
                from="/$project/"
                search={(previous) => importedSearch(previous, search.imported === undefined)}
                resetScroll={false}
                replace
              >
                {search.imported === undefined ? `${formatCount(first.leftOut)} more` : "Fewer"}
              </Link>
            )
          }
        >
          <ImportedGrid project={project} machines={having(imported)} groups={groups} lines={lines} />
        </Section>
      )}
      <Section title="Recent runs" tools={<Link {...toRuns(project)}>All runs</Link>}>
        <RunsTable label="Recent runs" runs={runs.slice(0, RECENT_RUNS)} />
      </Section>
    </>
  );
}

function importedSearch({ imported: _imported, ...rest }: OverviewSearch, isAll: boolean): OverviewSearch {
  return isAll ? { ...rest, imported: "all" } : rest;
}

/** Runs in full, by machine and newest first, as far as they have arrived. */
function useRunDetails(wanted: string[]): Map<string, RunDetail[]> {
  const answers = useQueries({ queries: wanted.map((runId) => runQuery(runId)) });
  const arrived = answers.flatMap(({ data }) => data ?? []);
  return groupBy(arrived, ({ run }) => run.machine);
}

/** The open regressions that are shown, with their details as far as they have arrived. */
function useRegressionRows(
  project: string,
  regressions: Parameters<typeof shownRegressions>[0],
  series: SeriesSummary[],
) {
  const shown = shownRegressions(regressions);
  const answers = useQueries({
    queries: shown.map(({ regression_id }) => regressionQuery(project, regression_id)),
  });
  const details = answers.flatMap(({ data }) =>
    data === undefined ? [] : [[data.regression.regression_id, data] as const],
  );
  return rowsOf(shown, new Map(details), series);
}
