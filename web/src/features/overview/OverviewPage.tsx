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
import type { RunDetail, RunSummary } from "@/api/types";
import { RunsTable } from "@/components/RunsTable";
import { Section } from "@/components/ui/Section";
import { groupBy } from "@/lib/collections";
import { toRuns } from "@/lib/paths";
import { useTitle } from "@/lib/useTitle";
import { HeadlineText } from "./components/HeadlineText";
import { Machines } from "./components/Machines";
import { Onboarding } from "./components/Onboarding";
import { SliceControls } from "./components/SliceControls";
import { TransportGrid } from "./components/TransportGrid";
import { transportGrid } from "./data";
import { chosenSlice, seriesOfSlice } from "./slice";

const route = getRouteApi("/$project/");

/** Commits that a sparkline reaches back. */
const HISTORY_COMMITS = 50;
/** Runs of each machine whose canaries are shown. */
const CANARY_RUNS = 8;
const RECENT_RUNS = 10;

export function OverviewPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { data: series } = useSuspenseQuery(seriesListQuery(project));
  const { data: runs } = useSuspenseQuery(runsQuery(project, {}));
  useTitle(project);

  const slice = chosenSlice(series.series, search);
  const sliceSeries = seriesOfSlice(series.series, slice);
  const { data: points } = useQuery(
    pointsQuery(
      sliceSeries.map(({ series_id }) => series_id),
      HISTORY_COMMITS,
    ),
  );
  const details = useRunDetails(runs.runs);

  const latest = summary.latest_run ?? null;
  if (latest === null) return <Onboarding project={project} />;

  const names = machines.machines.map(({ machine }) => machine);
  const rows = transportGrid({
    slice,
    series: series.series,
    machines: names,
    histories: new Map(points?.series.map((entry) => [entry.series_id, entry.points])),
    runs: details,
  });

  return (
    <>
      <HeadlineText summary={summary} latest={latest} slice={slice} series={sliceSeries} />
      <Section title="Machines">
        <Machines machines={machines.machines} details={details} />
      </Section>
      <Section title="Transports" tools={<SliceControls series={series.series} slice={slice} />}>
        <TransportGrid project={project} slice={slice} machines={names} rows={rows} />
      </Section>
      <Section title="Recent runs" tools={<Link {...toRuns(project)}>All runs</Link>}>
        <RunsTable label="Recent runs" runs={runs.runs.slice(0, RECENT_RUNS)} />
      </Section>
    </>
  );
}

/** The newest runs of each machine in full, newest first, as far as they have arrived. */
function useRunDetails(runs: RunSummary[]): Map<string, RunDetail[]> {
  const byMachine = groupBy(runs, ({ machine }) => machine);
  const wanted = [...byMachine.values()].flatMap((ofMachine) => ofMachine.slice(0, CANARY_RUNS));
  const answers = useQueries({ queries: wanted.map(({ run_id }) => runQuery(run_id)) });
  const arrived = answers.flatMap(({ data }) => data ?? []);
  return groupBy(arrived, ({ run }) => run.machine);
}
