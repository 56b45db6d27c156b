/** Overview of a project: regressions, transports by machine, and machines. */
import { useQueries, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  changePointsQuery,
  lineQuery,
  machinesQuery,
  projectQuery,
  regressionQuery,
  regressionsQuery,
  runQuery,
  runsQuery,
  seriesQuery,
} from "@/api/queries";
import type { Regression, SeriesSummary } from "@/api/types";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Suspicions } from "@/components/Suspicions";
import { Choice, SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { CommandLine } from "@/components/ui/text";
import { newestBudgets } from "@/lib/budget";
import { endsOf, type Parameters, parameterNames, parametersKey } from "@/lib/cases";
import { distinct, groupBy } from "@/lib/collections";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toMachines, toRuns } from "@/lib/paths";
import { askedFor, headlineOf } from "@/lib/regressions";
import { formatBytes, formatCount } from "@/lib/units";
import { useFleet } from "@/lib/useFleet";
import { scenarioName } from "@/lib/vocabulary";
import {
  type AskedRun,
  caseOf,
  chosenSlice,
  detailedRuns,
  latestMeasured,
  lossyOf,
  parameterOptions,
  type Slice,
  type SliceOptions,
  seriesOfSlice,
  transportGrid,
} from "./data";
import { Headline } from "./Headline";
import { firstRows, importedGroups, seriesOfGroups } from "./imported";
import { budgetsQuery, importedQuery, measuredQuery, rowsOf, shownRegressions } from "./load";
import { Machines } from "./Machines";
import { Onboarding } from "./Onboarding";
import { OpenRegressions } from "./OpenRegressions";
import { SizeSweep } from "./SizeSweep";
import type { OverviewSearch } from "./search";
import { ImportedGrid, TransportGrid } from "./TransportGrid";

const route = getRouteApi("/$project/");

export function OverviewPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { data: measured } = useSuspenseQuery(measuredQuery(project, search));
  const { data: imported } = useSuspenseQuery(importedQuery(project));
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: open } = useSuspenseQuery(regressionsQuery(project, askedFor({})));
  useTitle(project);

  const alike = measured?.series ?? [];
  const slice = measured === null ? null : chosenSlice(alike, measured.traffic, search.parameters);
  const sliceSeries = slice === null ? [] : seriesOfSlice(alike, slice);
  const { data: budgets } = useQuery(budgetsQuery(sliceSeries));
  const details = useRunDetails(detailedRuns(runs, alike));
  const fleet = useFleet(project, machines, runs);
  const { rows, series } = useRegressionRows(project, open.regressions);

  const having = (names: string[]) =>
    machines.map(({ machine }) => machine).filter((machine) => names.includes(machine));
  const isWhole = open.next_after === null;
  const importing = having(imported.map(({ machine }) => machine));
  // Imported results have no transport, size or canaries, so they have their own section.
  const all = importedGroups(imported, importing);
  const first = firstRows(all);
  const groups = search.imported === "all" ? all : first.groups;
  const { lines, changes } = useDrawn([
    ...rows.flatMap(({ worst }) => worst?.series_id ?? []),
    ...[...sliceSeries, ...seriesOfGroups(groups)].map(({ series_id }) => series_id),
  ]);

  const latest = summary.latest_run ?? null;
  if (latest === null) return <Onboarding project={project} />;
  const newest = latestMeasured(runs, alike, details);
  const isFirst = newest !== null && summary.commit_count < 2;

  return (
    <>
      <Headline
        summary={summary}
        run={newest?.run ?? latest}
        isMeasured={newest !== null}
        imported={imported}
        evidence={{
          regressions: open.regressions,
          isWhole,
          machines: machines.map(({ machine }) => ({
            machine,
            isSuspect: fleet.healths.get(machine)?.suspectBecause != null,
            isOverdue: fleet.healths.get(machine)?.silence != null,
          })),
          commitCount: summary.commit_count,
        }}
      />
      <Suspicions project={project} />
      <OpenRegressions
        project={project}
        all={headlineOf(open.regressions, { shown: "open", direction: "regressed", isWhole })}
        rows={rows}
        series={series}
        lines={lines}
      />
      {newest !== null && <SizeSweep project={project} machine={newest.machine} />}
      {isFirst && (
        <Section title="Next">
          <p>Push a commit, or try:</p>
          <CommandLine command="roundtrip ab --of revision --base HEAD~1 --head HEAD" />
        </Section>
      )}
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
          <LossyNote machine={newest.machine} series={sliceSeries} />
          <TransportGrid
            project={project}
            slice={slice}
            machines={having(measured.machines)}
            newestRun={newest.run?.run_id}
            budgets={newestBudgets(budgets)}
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
                search={({ imported, ...rest }) => (imported ? rest : { ...rest, imported: "all" })}
                resetScroll={false}
                replace
              >
                {search.imported === undefined ? `Show ${formatCount(first.leftOut)} more` : "Show fewer"}
              </Link>
            )
          }
        >
          <ImportedGrid project={project} machines={importing} groups={groups} lines={lines} />
        </Section>
      )}
      <Section
        title="Machines"
        tools={
          <span className="tools">
            <Link {...toRuns(project)}>All runs</Link>
            <Link {...toMachines(project)}>All machines</Link>
          </span>
        }
      >
        <Machines project={project} machines={machines} {...fleet} />
      </Section>
    </>
  );
}

function useRunDetails(wanted: AskedRun[]) {
  const answers = useQueries({
    queries: wanted.map(({ run_id, series_ids }) => runQuery(run_id, series_ids)),
  });
  return groupBy(arrived(answers), ({ run }) => run.machine);
}

function arrived<Answer>(answers: { data: Answer | undefined }[]): Answer[] {
  return answers.flatMap(({ data }) => data ?? []);
}

function useRegressionRows(project: string, regressions: Regression[]) {
  const shown = shownRegressions(regressions);
  const answers = useQueries({
    queries: shown.map(({ regression_id }) => regressionQuery(project, regression_id)),
  });
  const rows = rowsOf(shown, arrived(answers));
  const series = useQueries({
    queries: rows.flatMap(({ worst }) => (worst === null ? [] : [seriesQuery(worst.series_id)])),
  });
  return { rows, series: new Map(arrived(series).map((entry) => [entry.series_id, entry])) };
}

const LINE_POINTS = 60;

/** The lines and change points of all charts, in one request each. */
function useDrawn(seriesIds: number[]) {
  const ids = distinct(seriesIds);
  const asked = { quantiles: "p50,p99", repetitions: false, last: LINE_POINTS };
  const { data: chart } = useQuery(lineQuery(ids, asked));
  const { data: changes } = useQuery(changePointsQuery(ids));
  return {
    lines: new Map(chart?.series.map((line) => [line.series_id, line])),
    changes: groupBy(changes?.change_points ?? [], ({ series_id }) => series_id),
  };
}

type Props = { options: SliceOptions; parameters: Parameters[]; slice: Slice };

/** Chooses the slice of the grid, among those with results. */
function SliceControls({ options, parameters, slice }: Props) {
  // The grid shows all machines, so there is no machine to choose.
  const change = useSearchChange<OverviewSearch & { machine?: string }>();
  return (
    <div className="controls">
      <PlaceChoice
        place={{ ...options, ...slice, machine: "", machines: [] }}
        ends={endsOf(slice.parameters)}
        onChoose={change}
      >
        <Choice
          label="Scenario"
          values={options.scenarios}
          name={scenarioName}
          value={slice.scenario}
          onChange={(scenario) => change({ scenario })}
        />
      </PlaceChoice>
      <SelectField
        label={slice.scenario === "stream" ? "Write size" : "Message size"}
        options={options.sizes.map((size) => ({ value: String(size), label: formatBytes(size) }))}
        value={String(slice.bytes)}
        onChange={(size) => change({ bytes: Number(size) })}
      />
      {parameters.length > 1 && (
        <SelectField
          label="Parameters"
          options={parameters.map((entry) => ({
            value: parametersKey(entry),
            label: parameterNames(caseOf({ ...slice, parameters: entry })).join(", ") || "Default",
          }))}
          value={parametersKey(slice.parameters)}
          onChange={(key) => change({ parameters: key })}
        />
      )}
    </div>
  );
}

function LossyNote({ machine, series }: { machine: string; series: SeriesSummary[] }) {
  const slugs = lossyOf(series, machine).map(({ transport }) => transport.slug);
  return slugs.length > 0 && <p className="ranking warning">Lossy: {slugs.join(", ")}.</p>;
}
