/** One machine: health, agent, canaries, environment, queue and runs. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  agentsQuery,
  canariesQuery,
  environmentsQuery,
  errorRatesQuery,
  jobsQuery,
  machineHistoryQuery,
  machinesQuery,
  runsQuery,
  sessionQuery,
} from "@/api/queries";
import type { AgentSummary, CanaryReading, MachineHistory, SessionInfo } from "@/api/types";
import { CanaryChart } from "@/components/chart/CanaryChart";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { DetectableChart } from "@/components/chart/DetectableChart";
import { OpenJobs } from "@/components/jobs";
import { RunsTable } from "@/components/RunsTable";
import { Segmented } from "@/components/ui/controls";
import { Breadcrumb, ErrorState, Section, Skeleton } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Ago, Facts, StateMark, TimeText } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { contactOf, fitnessOf, workOf } from "@/lib/agents";
import {
  CANARY_NOTE,
  canariesOf,
  canaryMeaning,
  driftOf,
  environmentChanges,
  readingsOf,
} from "@/lib/canaries";
import { ascending } from "@/lib/collections";
import { useNow, useSearchChange, useTitle } from "@/lib/hooks";
import { healthOf, systemOf } from "@/lib/machines";
import { toErrorRates, toMachines, toQueue, toRuns } from "@/lib/paths";
import { beginsOf, OPEN, queueOf } from "@/lib/queue";
import { isSite } from "@/lib/site";
import { formatDay, formatMoment } from "@/lib/time";
import { counted, formatCount, formatNs, upperFirst } from "@/lib/units";
import { useDataTime } from "@/lib/useFleet";
import { AgentActions, mayManage } from "./AgentActions";
import { driftText, falseComparisonsText, knownStatesText, machineSentence } from "./data";
import {
  cellsOf,
  changeText,
  detectableText,
  type EnvironmentChange,
  environmentChanges as environmentChangesOf,
  newestDetectable,
  STATE_NAMES,
  sampledDays,
} from "./history";
import { StateLegend, StateStrip } from "./StateStrip";
import { parseMachineSearch, REACHES } from "./search";

const route = getRouteApi("/$project/machines/$machine");

const RECENT_RUNS = 10;

export function MachinePage() {
  const { project, machine } = route.useParams();
  const { last = REACHES[0] } = route.useSearch();
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { runs } = useSuspenseQuery(runsQuery(project, { machine })).data;
  const { data: canaries } = useQuery(canariesQuery(project, machine, last));
  const { data: jobs } = useQuery(jobsQuery(project, OPEN));
  const { data: errorRates } = useQuery(errorRatesQuery(project));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  const now = useDataTime(machines);
  useTitle(`${machine} of ${project}`);

  const summary = machines.find((entry) => entry.machine === machine);
  // The loader checks that the machine exists; it can still disappear while the page is open.
  if (summary === undefined) return null;
  const readings = canaries?.readings ?? [];
  const { system, cpu } = systemOf(summary);
  const queue = queueOf(jobs?.jobs ?? []);
  const own = queue.filter((job) => job.machine === machine);
  const agent = agents.find((entry) => entry.machine === machine);
  const health = healthOf(summary, agent, readings, runs, now);
  const rates = errorRates?.machines.find((entry) => entry.machine === machine);
  const falsePositives = rates === undefined ? null : falseComparisonsText(rates.false_comparisons);
  const knownStates = knownStatesText(summary);
  const facts = Object.entries(summary.environment.stable).map(([name, value]) => ({ name, value }));
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toMachines(project)}>Machines</Link>
          {machine}
        </Breadcrumb>
        <h1>{machineSentence(machine, health)}</h1>
        <p className="lede">
          {system}, {cpu}; {counted(summary.run_count, "run")}, last <Ago moment={summary.last_run_at} />.
          {summary.lost_run_count > 0 && (
            <span className="warning">
              {" "}
              {counted(summary.lost_run_count, "run")} lost: acknowledged but missing from the database.
            </span>
          )}
        </p>
        {knownStates !== null && <p className="lede">{knownStates}</p>}
      </header>
      {!isSite() && (
        <AgentSection
          project={project}
          agent={agent}
          suspectBecause={summary.suspect_because}
          session={session}
        />
      )}
      <States />
      <Drift />
      <div className="columns">
        <Section title="Hardware and OS">
          {facts.length === 0 ? <p className="muted">No data</p> : <Facts facts={facts} wide />}
        </Section>
        <Section title="Environment history">
          <Changes />
        </Section>
      </div>
      {!isSite() && (
        <Section
          title="Queue"
          tools={
            <Link {...toQueue(project)} search={{ machine }}>
              All jobs
            </Link>
          }
        >
          {own.length === 0 ? (
            <p className="muted">No jobs</p>
          ) : (
            <OpenJobs
              label="Queue"
              project={project}
              jobs={own}
              begins={beginsOf(queue, agents, now)}
              mayCancel={refusal(session, project, "queue") === null}
              hasMachine={false}
            />
          )}
        </Section>
      )}
      <Section title="False positives" tools={<Link {...toErrorRates(project)}>Error rates</Link>}>
        {falsePositives === null ? (
          <p className="muted">Needs runs with 12 repetitions per case.</p>
        ) : (
          <p>{falsePositives}</p>
        )}
      </Section>
      <Section
        title="Recent runs"
        tools={
          <Link {...toRuns(project)} search={{ machine }}>
            All runs
          </Link>
        }
      >
        {runs.length === 0 ? (
          <p className="muted">No runs</p>
        ) : (
          <RunsTable label="Recent runs" runs={runs.slice(0, RECENT_RUNS)} />
        )}
      </Section>
    </>
  );
}

type Props = {
  project: string;
  agent: AgentSummary | undefined;
  suspectBecause: string | null;
  session: SessionInfo;
};

function AgentSection({ project, agent, suspectBecause, session }: Props) {
  const now = useNow();
  if (agent === undefined) {
    return (
      <Section title="Agent">
        <p className="muted">No agent: self-scheduled</p>
      </Section>
    );
  }
  const isManaged = mayManage(session, project, agent);
  return (
    <Section
      title="Agent"
      tools={isManaged && <AgentActions project={project} agent={agent} session={session} />}
    >
      <Facts
        wide
        facts={[
          { name: "Contact", value: <StateMark state={contactOf(agent, now)} /> },
          { name: "Work", value: <StateMark state={workOf(agent)} /> },
          { name: "Health", value: <StateMark state={fitnessOf(agent, suspectBecause)} /> },
          { name: "Labels", value: agent.labels.join(", ") || <span className="muted">none</span> },
          { name: "Project", value: agent.project ?? "any project" },
          { name: "Pending reports", value: formatCount(agent.spooled_count) },
          { name: "Version", value: agent.version ?? <span className="muted">unknown</span> },
          { name: "Enrolled", value: formatDay(agent.enrolled_at) },
        ]}
      />
    </Section>
  );
}

/** The machine's history, with what changed between its environments. */
function useHistory() {
  const { project, machine } = route.useParams();
  const { data: history, error, refetch } = useQuery(machineHistoryQuery(project, machine));
  const known = useQuery(environmentsQuery(project, machine));
  const environments = known.data;
  const changes =
    history === undefined || environments === undefined
      ? undefined
      : environmentChangesOf(history.days, environments.environments);
  return {
    history,
    changes,
    error: error ?? known.error,
    retry: () => {
      if (error !== null) void refetch();
      if (known.isError) void known.refetch();
    },
  };
}

function States() {
  const { machine } = route.useParams();
  const { history, changes = [], error, retry } = useHistory();
  const days = history?.days ?? [];
  const cells = cellsOf(days, changes);
  const detectable = newestDetectable(days);
  return (
    <>
      <ChartFrame
        name="state"
        title="State"
        summary="Taller is worse. Drift: a canary moved by over 10 %, or results shifted without a code change."
        table={days.length === 0 ? null : stateTable(machine, days, changes)}
        {...(history === undefined && { pending: { error, onRetry: retry, height: "4.5rem" } })}
      >
        <StateStrip cells={cells} />
        <StateLegend cells={cells} />
      </ChartFrame>
      <ChartFrame
        name="detectable"
        title={detectable === null ? "Detectable change" : `Detects ${detectableText(detectable)}`}
        summary={
          <>
            Smallest slowdown of a p50 that two runs show with 90 % power, median of all cases. More
            repetitions and a quieter machine (<code>roundtrip doctor</code>) lower it.
          </>
        }
        table={days.length === 0 ? null : detectableTable(machine, days)}
        {...(history === undefined && { pending: { error, onRetry: retry } })}
      >
        <div className="columns">
          {sampledDays(days).length === 0 ? (
            <p className="muted">Too few repetitions</p>
          ) : (
            <DetectableChart
              name={`Detectable change of ${machine}`}
              sampled={sampledDays(days)}
              formatDay={formatDay}
            />
          )}
          <Transports transports={history?.transports ?? []} />
        </div>
      </ChartFrame>
    </>
  );
}

/** Transports on the page: the best ones. */
const TRANSPORTS_MAX = 6;

/** The transports that detect the smallest changes in the newest run. */
function Transports({ transports }: Pick<MachineHistory, "transports">) {
  const size = ({ detectable_change }: MachineHistory["transports"][number]) =>
    detectable_change ?? Number.POSITIVE_INFINITY;
  return (
    <RowTable
      label="Detectable change by transport"
      className="table table-dense"
      rows={transports.toSorted((one, other) => ascending(size(one), size(other))).slice(0, TRANSPORTS_MAX)}
      keyOf={({ transport }) => transport}
      columns={[
        [rowHead("Best transports"), ({ transport }) => transport],
        [numeric("Cases"), ({ case_count }) => formatCount(case_count)],
        [numeric("Detects"), ({ detectable_change }) => detectableText(detectable_change)],
      ]}
    />
  );
}

type Days = MachineHistory["days"];

function stateTable(machine: string, days: Days, changes: EnvironmentChange[]): ChartTable {
  const changed = (day: string) =>
    changes
      .filter(({ since }) => since === day)
      .map(changeText)
      .join("; ");
  return tableOf(`states-${machine}`, () => days.toReversed(), [
    word("Day", "day", ({ day }) => day),
    word(
      "State",
      "state",
      ({ state }) => state,
      ({ state }) => STATE_NAMES[state],
    ),
    word("Reason", "because", ({ because }) => because ?? ""),
    num("Runs", "run_count", ({ run_count }) => run_count),
    word("Environment changes", "environment_changes", ({ day }) => changed(day)),
  ]);
}

function detectableTable(machine: string, days: Days): ChartTable {
  return tableOf(`detectable-${machine}`, () => sampledDays(days).toReversed(), [
    word("Day", "day", ({ day }) => day),
    num("Detectable", "detectable_change", ({ change }) => change, detectableText),
  ]);
}

const OPTIONS = REACHES.toSorted((a, b) => a - b).map((reach) => ({
  value: String(reach),
  label: `${formatCount(reach)} runs`,
}));

function Drift() {
  const { project, machine } = route.useParams();
  const { last = REACHES[0] } = route.useSearch();
  const change = useSearchChange<{ last: number }>();
  const { data, error, refetch } = useQuery(canariesQuery(project, machine, last));
  const readings = data?.readings ?? [];
  const slugs = canariesOf(readings);
  const rules = environmentChanges(readings);
  return (
    <ChartFrame
      name="canaries"
      title="Canary drift"
      summary={summaryOf(slugs.length, rules.length)}
      table={slugs.length === 0 ? null : canaryTable(machine, readings, slugs)}
      controls={
        <Segmented
          label="Range"
          options={OPTIONS}
          value={String(last)}
          onChange={(value) => change({ last: parseMachineSearch({ last: Number(value) }).last })}
        />
      }
      {...(data === undefined && { pending: { error, onRetry: () => void refetch() } })}
    >
      <div className="multiples">
        {slugs.map((slug) => (
          <Multiple key={slug} slug={slug} readings={readings} rules={rules} />
        ))}
      </div>
    </ChartFrame>
  );
}

type MultipleProps = { slug: string; readings: CanaryReading[]; rules: number[] };

function Multiple({ slug, readings, rules }: MultipleProps) {
  const own = readingsOf(readings, slug);
  const newest = own.at(-1);
  const drift = driftOf(readings, slug);
  const text = driftText(drift);
  return (
    <section aria-labelledby={`canary-${slug}`}>
      <h3 id={`canary-${slug}`} className="multiple-head">
        {slug}
        {newest !== undefined && <TimeText ns={newest.p50_ns} />}
      </h3>
      <p className="multiple-note">
        {upperFirst(canaryMeaning(slug))}.
        <br />
        {upperFirst(text)}.
      </p>
      <CanaryChart
        name={`${slug} over ${counted(readings.length, "run")}: ${newest === undefined ? "no reading" : `${formatNs(newest.p50_ns)} now`}, ${text}`}
        readings={own}
        runCount={readings.length}
        rules={rules}
        runName={(place) => runName(readings[place])}
        endName={(place) => dayOf(readings[place])}
      />
    </section>
  );
}

function summaryOf(canaryCount: number, changeCount: number): string {
  if (canaryCount === 0) return "No canary readings";
  const rules = changeCount === 0 ? "" : " Dotted: environment changed.";
  return `${CANARY_NOTE}${rules}`;
}

function runName(reading: CanaryReading | undefined): string {
  return reading === undefined ? "" : `${formatMoment(reading.started_at)}, commit ${reading.commit_ordinal}`;
}

function dayOf(reading: CanaryReading | undefined): string {
  return reading === undefined ? "" : formatDay(reading.started_at);
}

function canaryTable(machine: string, readings: CanaryReading[], slugs: string[]): ChartTable {
  return tableOf(`canaries-${machine}`, () => readings.toReversed(), [
    word(
      "Started",
      "started_at",
      ({ started_at }) => started_at,
      (run) => formatMoment(run.started_at),
    ),
    num("Commit", "commit_ordinal", ({ commit_ordinal }) => commit_ordinal),
    num("Environment", "environment_id", ({ environment_id }) => environment_id),
    ...slugs.map((slug) =>
      num<CanaryReading>(
        slug,
        `${slug}_ns_p50`,
        ({ p50_ns }) => p50_ns[slug] ?? null,
        formatNs,
        "no reading",
      ),
    ),
  ]);
}

/** The newest changes of facts on the page; the table of states has all. */
const CHANGES_MAX = 12;

function Changes() {
  const { changes, error, retry } = useHistory();
  if (changes === undefined) {
    return error === null ? (
      <Skeleton height="8rem" />
    ) : (
      <ErrorState error={error} onRetry={retry} heading="h2" />
    );
  }
  if (changes.length === 0) return <p className="muted">No changes</p>;
  const rows = changes.flatMap(({ since, facts }) => facts.map((fact) => ({ since, ...fact })));
  if (rows.length === 0) return <p className="muted">Changed; details not available</p>;
  return (
    <RowTable
      label="Environment history"
      className="table table-dense"
      rows={rows.slice(0, CHANGES_MAX)}
      keyOf={({ since, name }) => `${since} ${name}`}
      columns={[
        ["Since", ({ since }) => formatDay(since), "muted"],
        [rowHead("Fact"), ({ name }) => name],
        ["Before", ({ before }) => before ?? <span className="muted">absent</span>, "flexible"],
        ["After", ({ after }) => after ?? <span className="muted">absent</span>, "flexible"],
      ]}
    />
  );
}
