/** A project at a glance: one sentence, the machines, every transport on every machine, the newest runs. */
import { useQueries, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  machinesQuery,
  pointsQuery,
  projectQuery,
  runQuery,
  runsQuery,
  seriesListQuery,
} from "@/api/queries";
import type { RunDetail, SeriesSummary } from "@/api/types";
import { RunsTable } from "@/components/RunsTable";
import { Section } from "@/components/ui/Section";
import { groupBy } from "@/lib/collections";
import { isImport, isImported } from "@/lib/imports";
import { toErrorRates, toRuns } from "@/lib/paths";
import { formatCount } from "@/lib/units";
import { useTitle } from "@/lib/useTitle";
import { HeadlineText } from "./components/HeadlineText";
import { ImportedGrid } from "./components/ImportedGrid";
import { Machines } from "./components/Machines";
import { Onboarding } from "./components/Onboarding";
import { OpenRegressions } from "./components/OpenRegressions";
import { SliceControls } from "./components/SliceControls";
import { TransportGrid } from "./components/TransportGrid";
import { detailedRuns, latestMeasured, transportGrid } from "./data";
import { firstRows, importedGroups, seriesOfGroups } from "./imported";
import type { OverviewSearch } from "./search";
import { chosenSlice, seriesOfSlice } from "./slice";

const route = getRouteApi("/$project/");

/** Commits that a sparkline reaches back. */
const HISTORY_COMMITS = 50;
const RECENT_RUNS = 10;

export function OverviewPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { data: series } = useSuspenseQuery(seriesListQuery(project));
  const { data: runs } = useSuspenseQuery(runsQuery(project, {}));
  useTitle(project);

  // What other tools measured has no transport, no size and no canaries: it stands apart from everything here.
  const measured = series.series.filter((entry) => !isImported(entry));
  const imported = series.series.filter(isImported);
  const measuredRuns = runs.runs.filter((run) => !isImport(run));
  const slice = chosenSlice(measured, search);
  const sliceSeries = seriesOfSlice(measured, slice);
  const { data: points } = useQuery(pointsQuery(idsOf(sliceSeries), HISTORY_COMMITS));
  const details = useRunDetails(detailedRuns(runs.runs, series.series));

  const names = machines.machines.map(({ machine }) => machine);
  const having = (some: SeriesSummary[]) =>
    names.filter((name) => some.some(({ machine }) => machine === name));
  const all = importedGroups(imported, having(imported));
  const first = firstRows(all);
  const groups = search.imported === "all" ? all : first.groups;
  const { data: importedPoints } = useQuery(pointsQuery(idsOf(seriesOfGroups(groups)), HISTORY_COMMITS));

  const latest = summary.latest_run ?? null;
  if (latest === null) return <Onboarding project={project} />;

  const rows = transportGrid({
    slice,
    series: measured,
    machines: having(measured),
    histories: new Map(points?.series.map((entry) => [entry.series_id, entry.points])),
    runs: details,
  });

  return (
    <>
      <HeadlineText
        summary={summary}
        latest={latest}
        latestMeasured={latestMeasured(measuredRuns, measured, details)}
        slice={slice}
        series={sliceSeries}
        imported={imported}
      >
        <OpenRegressions project={project} />
      </HeadlineText>
      <Section title="Machines" tools={<Link {...toErrorRates(project)}>How often verdicts are wrong</Link>}>
        <Machines machines={machines.machines} details={details} />
      </Section>
      {measured.length > 0 && (
        <Section title="Transports" tools={<SliceControls series={measured} slice={slice} />}>
          <TransportGrid project={project} slice={slice} machines={having(measured)} rows={rows} />
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
          <ImportedGrid
            project={project}
            machines={having(imported)}
            groups={groups}
            histories={new Map(importedPoints?.series.map((entry) => [entry.series_id, entry]))}
          />
        </Section>
      )}
      <Section title="Recent runs" tools={<Link {...toRuns(project)}>All runs</Link>}>
        <RunsTable label="Recent runs" runs={runs.runs.slice(0, RECENT_RUNS)} />
      </Section>
    </>
  );
}

function idsOf(series: SeriesSummary[]): number[] {
  return series.map(({ series_id }) => series_id);
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
