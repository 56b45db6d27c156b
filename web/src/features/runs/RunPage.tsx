/** One run: every result, machine, environment and methodology. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { runQuery, sessionQuery } from "@/api/queries";
import type { RunDetail } from "@/api/types";
import { DeliveryTable } from "@/components/DeliveryTable";
import { Suspicions } from "@/components/Suspicions";
import { Breadcrumb, Section } from "@/components/ui/states";
import { type Column, numeric, rowHead, TableSection } from "@/components/ui/Table";
import { AuthorName, CommandLine, CommitName, Facts, Warnings } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { shortSha } from "@/lib/commits";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { isImportInFull } from "@/lib/imports";
import { toJob, toMeasure, toPoint, toRuns } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { formatDuration, formatMoment } from "@/lib/time";
import { counted, formatCount, formatNs } from "@/lib/units";
import { useRowKeys } from "@/lib/useRowKeys";
import { scenarioName } from "@/lib/vocabulary";
import {
  bufferGroups,
  deliveryGroups,
  disturbedGroups,
  factsOf,
  isOfTwoSides,
  isSynthetic,
  programFacts,
  reproCommands,
  runTitle,
  sortResults,
  warningsOf,
} from "./data";
import { ImportedRun } from "./ImportedRun";
import { Results } from "./Results";
import { Failures, RunControls, RunFacts } from "./RunParts";
import { SizeMap } from "./SizeMap";
import type { RunSearch } from "./search";

const route = getRouteApi("/$project/runs/$runId");

export function RunPage() {
  const { runId } = route.useParams();
  const { data: detail } = useSuspenseQuery(runQuery(runId));
  useTitle(runTitle(detail));
  return isImportInFull(detail) ? <ImportedRun detail={detail} /> : <MeasuredRun detail={detail} />;
}

function MeasuredRun({ detail }: { detail: RunDetail }) {
  const { project, runId } = route.useParams();
  const search = route.useSearch();
  const change = useSearchChange<RunSearch>();
  const { transport = "" } = search;
  const { run } = detail;
  const results = useMemo(() => sortResults(detail.results, transport), [detail, transport]);
  const all = useMemo(() => [...sortResults(detail.results, "").measured.values()].flat(), [detail]);
  const measured = [...results.measured.values()].flat();
  const deliveries = deliveryGroups(measured);
  const programs = programFacts(detail.results);
  const isSeeded = isSynthetic(detail.environment);
  useRowKeys("Rows");

  return (
    <>
      <Breadcrumb>
        <Link {...toRuns(project)}>Runs</Link>
        {run.machine}
        {run.preset}
      </Breadcrumb>
      <h1>
        {counted(run.point_count, "result")} for <code>{shortSha(run.commit.sha)}</code> on {run.machine}
      </h1>
      <p className="lede">
        <CommitName commit={run.commit} /> ‘{run.commit.subject}’ by <AuthorName name={run.commit.author} />
      </p>
      <Warnings texts={warningsOf(detail)} />
      <Suspicions project={project} commit={run.commit.sha} />
      <SizeMap project={project} runId={runId} results={all} search={search} onSearch={change} />
      <RunControls
        runId={runId}
        by="transport"
        value={transport}
        hasReport={detail.pruned.upload_at === null}
      />
      {results.measured.size === 0 && detail.results.length > 0 && (
        <p className="section">No transport matches “{transport}”.</p>
      )}
      {[...results.measured].map(([scenario, ofScenario]) => (
        <Section key={scenario} title={`Results, ${scenarioName(scenario)}`}>
          <Results
            project={project}
            runId={runId}
            scenario={scenario}
            results={ofScenario}
            search={search}
            onSearch={change}
          />
        </Section>
      ))}
      {deliveries.length > 0 && (
        <Section title="Lost or altered messages">
          <DeliveryTable
            label="Lost or altered messages"
            heads={["Transport", "Case"]}
            groups={deliveries.map(({ series_id, transport, caseName, deliveries }) => ({
              key: series_id,
              deliveries,
              lead: (rows) => (
                <>
                  <th scope="rowgroup" rowSpan={rows} className="top">
                    <Link {...toPoint(project, series_id, runId)}>{transport}</Link>
                  </th>
                  <td rowSpan={rows} className="muted brief top">
                    {caseName}
                  </td>
                </>
              ),
            }))}
          />
        </Section>
      )}
      <TableSection
        title="Disturbed repetitions"
        rows={disturbedGroups(measured)}
        keyOf={({ reason }) => reason}
        columns={[
          ["Reason", ({ reason }) => reason, "wrap"],
          [numeric("Count"), ({ times }) => formatCount(times)],
          CASES,
        ]}
        note="Kept. Similar reasons are merged."
      />
      <Failures failures={results.failures} />
      {programs.length > 0 && (
        <Section title="Programs">
          <Facts facts={programs} />
        </Section>
      )}
      <TableSection
        title="Buffers"
        rows={bufferGroups(measured)}
        keyOf={({ transport, requested, granted }) => `${transport} ${requested} ${granted}`}
        columns={[
          [rowHead("Transport"), ({ transport }) => transport],
          ["Requested", ({ requested }) => requested, "muted"],
          ["Granted", ({ granted }) => granted],
          CASES,
        ]}
      />
      <TableSection
        title="Unsupported"
        rows={results.unsupported}
        keyOf={({ transport, reason }) => `${transport} ${reason}`}
        columns={[
          [rowHead("Transport"), ({ transport }) => transport],
          CASES,
          ["Reason", ({ reason }) => reason, "wrap"],
        ]}
      />

      <div className="columns">
        <Section title="Run">
          <RunFacts
            run={run}
            facts={[
              { name: "Measured", value: formatMoment(run.started_at) },
              { name: "Duration", value: formatDuration(run.started_at, run.finished_at) },
              { name: "Suite", value: `${run.suite_version}, ${run.build} build` },
              { name: "Preset", value: run.preset },
              { name: "Random seed", value: String(run.order_seed) },
              run.job_id !== null && {
                name: "Job",
                value: isSite() ? run.job_id : <Link {...toJob(run.project, run.job_id)}>{run.job_id}</Link>,
              },
            ]}
          />
        </Section>
        <Section title="Canaries">
          <Facts
            facts={detail.canaries.map(({ slug, p50_ns, min_ns, count, unsupported }) => ({
              name: slug,
              value:
                p50_ns == null
                  ? (unsupported ?? "no reading")
                  : `${formatNs(p50_ns)} (min ${formatNs(min_ns ?? p50_ns)}, ${counted(count, "reading")})`,
            }))}
          />
          <p className="section-note">Benchmarks of the machine itself.</p>
        </Section>
      </div>
      <Section title="Reproduce">
        {isSeeded ? (
          <p>Synthetic data: nothing to measure.</p>
        ) : isOfTwoSides(detail) ? (
          <p>
            <code>roundtrip ab</code> measured two sides that the report does not name.
          </p>
        ) : (
          reproCommands(detail).map((command) => <CommandLine key={command} command={command} />)
        )}
        {!isSeeded && <QueueAgain detail={detail} />}
      </Section>
      <div className="columns">
        <Section title="Environment">
          <Facts wide facts={environmentFacts(detail.environment.stable)} />
          <p className="section-note">Only runs with the same environment are comparable.</p>
        </Section>
        <Section title="Conditions">
          <Facts wide facts={environmentFacts(detail.environment.conditions)} />
        </Section>
      </div>
    </>
  );
}

/** A link to the prefilled job form, for users who may queue jobs. Pull requests are queued on their own page. */
function QueueAgain({ detail: { run } }: { detail: RunDetail }) {
  const { data: session } = useQuery(sessionQuery);
  const mayQueue = session !== undefined && refusal(session, run.project, "queue") === null;
  if (!mayQueue || run.pull_request !== null) return null;
  const { machine, preset, commit } = run;
  return (
    <p className="section-note">
      <Link {...toMeasure(run.project, { commits: commit.sha, machine, preset })}>Queue on {machine}</Link>
    </p>
  );
}

/** Missing facts show the reason in a muted colour. */
function environmentFacts(facts: Record<string, string>) {
  return factsOf(facts).map(({ name, value, isAbsent }) => ({
    name,
    value: isAbsent ? <span className="muted">{value}</span> : value,
  }));
}

/** The number of cases, with their names in the tooltip. */
const CASES: Column<{ cases: string[] }> = [
  "Cases",
  ({ cases }) => counted(cases.length, "case"),
  ({ cases }) => ({ className: "muted", title: cases.join("\n") }),
];
