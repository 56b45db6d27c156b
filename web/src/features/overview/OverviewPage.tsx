/** Overview of a project: regressions, machines, transports by machine, and recent runs. */
import { useQueries, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  changePointsQuery,
  errorRatesQuery,
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
import { RunsTable } from "@/components/RunsTable";
import { Suspicions } from "@/components/Suspicions";
import { Choice, SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { newestBudgets } from "@/lib/budget";
import { endsOf, type Parameters, parameterNames, parametersKey } from "@/lib/cases";
import { distinct, groupBy } from "@/lib/collections";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toMachines, toRegressions, toRuns, toSeries } from "@/lib/paths";
import { askedFor, headlineOf } from "@/lib/regressions";
import { isSite } from "@/lib/site";
import { formatBytes, formatCount, formatNs, formatRate } from "@/lib/units";
import { useFleet } from "@/lib/useFleet";
import { scenarioName } from "@/lib/vocabulary";
import {
  type AskedRun,
  caseOf,
  chosenSlice,
  detailedRuns,
  headlineValue,
  latestMeasured,
  type MeasuredSeries,
  parameterOptions,
  rankingOf,
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

const RECENT_RUNS = 10;

export function OverviewPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { data: measured } = useSuspenseQuery(measuredQuery(project, search));
  const { data: imported } = useSuspenseQuery(importedQuery(project));
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: open } = useSuspenseQuery(regressionsQuery(project, askedFor({})));
  const { data: errorRates } = useQuery(errorRatesQuery(project));
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
      <Section
        title="Machines"
        tools={
          <span className="tools">
            {rows.length === 0 && <Link {...toRegressions(project)}>All changes</Link>}
            <Link {...toMachines(project)}>{isSite() ? "All machines" : "Machines and queue"}</Link>
          </span>
        }
      >
        <Machines project={project} machines={machines} details={details} {...fleet} />
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
          <Ranking machine={newest.machine} series={sliceSeries} />
          <TransportGrid
            project={project}
            slice={slice}
            machines={having(measured.machines)}
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
      <Section title="Recent runs" tools={<Link {...toRuns(project)}>All runs</Link>}>
        <RunsTable label="Recent runs" runs={runs.slice(0, RECENT_RUNS)} />
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

function Ranking({ machine, series }: { machine: string; series: SeriesSummary[] }) {
  const { ranked, lossy } = rankingOf(series, machine);
  return (
    <p className="ranking">
      <FastestAndSlowest machine={machine} ranked={ranked} hasLoss={lossy.length > 0} />
      {lossy.length > 0 && (
        <span className="warning">
          {" "}
          Lossy, not ranked: {lossy.map(({ transport }) => transport.slug).join(", ")}.
        </span>
      )}
    </p>
  );
}

type FastestAndSlowestProps = { machine: string; ranked: MeasuredSeries[]; hasLoss: boolean };

function FastestAndSlowest({ machine, ranked, hasLoss }: FastestAndSlowestProps) {
  const [best, ...others] = ranked;
  const worst = others.at(-1);
  if (best === undefined)
    return hasLoss ? `No lossless results on ${machine}.` : `Not measured on ${machine}.`;
  if (worst === undefined) {
    return (
      <>
        {transportLink(best)}: {valueText(best)} on <span className="unbroken">{machine}</span>.
      </>
    );
  }
  return (
    <>
      Fastest of {ranked.length} transports on <span className="unbroken">{machine}</span>:{" "}
      {transportLink(best)}, {valueText(best)}. Slowest: {transportLink(worst)}, {valueText(worst)}.
    </>
  );
}

function transportLink(series: MeasuredSeries) {
  return <Link {...toSeries(series.project, series.series_id)}>{series.transport.slug}</Link>;
}

function valueText(series: MeasuredSeries) {
  const { kind, value } = headlineValue(series.latest);
  return <span className="unbroken strong">{kind === "rate" ? formatRate(value) : formatNs(value)}</span>;
}
