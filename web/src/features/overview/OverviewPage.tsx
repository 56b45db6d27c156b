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
  seriesQuery,
} from "@/api/queries";
import type { Regression, RunDetail } from "@/api/types";
import { RunsTable } from "@/components/RunsTable";
import { Section } from "@/components/ui/Section";
import { groupBy } from "@/lib/collections";
import { isImport } from "@/lib/imports";
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
import { type AskedRun, detailedRuns, latestMeasured, transportGrid } from "./data";
import { firstRows, importedGroups, seriesOfGroups } from "./imported";
import { importedQuery, measuredQuery } from "./load";
import { rowsOf, shownRegressions } from "./regressionRows";
import type { OverviewSearch } from "./search";
import { chosenSlice, parameterOptions, seriesOfSlice } from "./slice";
import { useDrawn } from "./useDrawn";

const route = getRouteApi("/$project/");

const RECENT_RUNS = 10;

export function OverviewPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { machines } = useSuspenseQuery(machinesQuery(project)).data;
  const { data: measured } = useSuspenseQuery(measuredQuery(project, search));
  const { series: imported } = useSuspenseQuery(importedQuery(project)).data;
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: open } = useSuspenseQuery(regressionsQuery(project, askedFor({})));
  const { data: errorRates } = useQuery(errorRatesQuery(project));
  useTitle(project);

  const alike = measured?.series ?? [];
  const slice = measured === null ? null : chosenSlice(alike, measured.traffic, search.parameters);
  const sliceSeries = slice === null ? [] : seriesOfSlice(alike, slice);
  const details = useRunDetails(detailedRuns(runs, alike));
  const { readings, healths, queue } = useFleet(project, machines, runs);
  const { rows, series } = useRegressionRows(project, open.regressions);

  const having = (names: string[]) =>
    machines.map(({ machine }) => machine).filter((machine) => names.includes(machine));
  const importing = having(imported.map(({ machine }) => machine));
  // What other tools measured has no transport, no size and no canaries: it stands apart from everything here.
  const all = importedGroups(imported, importing);
  const first = firstRows(all);
  const groups = search.imported === "all" ? all : first.groups;
  const { lines, changes } = useDrawn([
    ...rows.flatMap(({ worst }) => worst?.series_id ?? []),
    ...[...sliceSeries, ...seriesOfGroups(groups)].map(({ series_id }) => series_id),
  ]);

  const latest = summary.latest_run ?? null;
  if (latest === null) return <Onboarding project={project} />;
  const newest = latestMeasured(
    runs.filter((run) => !isImport(run)),
    alike,
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
          series={series}
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
      {newest !== null && measured !== null && slice !== null && (
        <Section
          title="Transports"
          tools={
            <SliceControls
              options={measured.options}
              parameters={parameterOptions(alike, slice)}
              slice={slice}
            />
          }
        >
          <Ranking machine={newest.machine} slice={slice} series={sliceSeries} />
          <TransportGrid
            project={project}
            slice={slice}
            machines={having(measured.machines)}
            rows={transportGrid({
              slice,
              series: alike,
              transports: measured.transports,
              machines: having(measured.machines),
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
          <ImportedGrid project={project} machines={importing} groups={groups} lines={lines} />
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
function useRunDetails(wanted: AskedRun[]): Map<string, RunDetail[]> {
  const answers = useQueries({
    queries: wanted.map(({ run_id, series_ids }) => runQuery(run_id, series_ids)),
  });
  const arrived = answers.flatMap(({ data }) => data ?? []);
  return groupBy(arrived, ({ run }) => run.machine);
}

/** The open regressions that are shown, with their details and what changed most as far as these have arrived. */
function useRegressionRows(project: string, regressions: Regression[]) {
  const shown = shownRegressions(regressions);
  const answers = useQueries({
    queries: shown.map(({ regression_id }) => regressionQuery(project, regression_id)),
  });
  const details = answers.flatMap(({ data }) =>
    data === undefined ? [] : [[data.regression.regression_id, data] as const],
  );
  const rows = rowsOf(shown, new Map(details));
  const series = useQueries({
    queries: rows.flatMap(({ worst }) => (worst === null ? [] : [seriesQuery(worst.series_id)])),
  });
  const arrived = series.flatMap(({ data }) => (data === undefined ? [] : [[data.series_id, data] as const]));
  return { rows, series: new Map(arrived) };
}
