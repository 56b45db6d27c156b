/** A run imported from another tool's file. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Case, RunDetail, RunResult } from "@/api/types";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { Breadcrumb, Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import {
  AuthorName,
  CommandLine,
  CommitName,
  Facts,
  NotStated,
  TimeText,
  ValueText,
  Warnings,
} from "@/components/ui/text";
import { benchmarkName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { benchmarkCount, fileFacts, intervalOf, nsPerOperation, toolName } from "@/lib/imports";
import { originalHref, toPoint, toRuns } from "@/lib/paths";
import { resultArguments } from "@/lib/site";
import { formatMoment } from "@/lib/time";
import { counted, formatBytes, formatCount, formatOf, formatValue, upperFirst } from "@/lib/units";
import {
  type ImportedTable,
  importedTables,
  type MeasuredResult,
  type StatedResult,
  sharedDomain,
  sortResults,
  statedColumns,
  warningsOf,
} from "./data";
import { Failures, RunControls, RunFacts } from "./RunParts";

const route = getRouteApi("/$project/runs/$runId");

export function ImportedRun({ detail }: { detail: RunDetail }) {
  const { project, runId } = route.useParams();
  const { benchmark = "" } = route.useSearch();
  const { run, original } = detail;
  const transport = detail.results[0]?.transport ?? null;
  const tool = transport === null ? "another tool" : toolName(transport);
  const { imported, stated, failures } = sortResults(detail.results, benchmark);
  const facts = fileFacts(detail.results);
  const isKept = detail.pruned.upload_at === null;
  const file = isKept ? originalHref(runId) : null;
  return (
    <>
      <Breadcrumb>
        <Link {...toRuns(project)}>Runs</Link>
        {run.machine}
        {["imported", tool]}
      </Breadcrumb>
      <h1>
        {counted(benchmarkCount(detail.results), "benchmark")} for <code>{shortSha(run.commit.sha)}</code>,
        imported from {tool}
      </h1>
      <p className="lede">
        <CommitName commit={run.commit} /> ‘{run.commit.subject}’ by <AuthorName name={run.commit.author} />.
        The tool defines the methodology.
      </p>
      <Warnings texts={warningsOf(detail)} />
      <RunControls runId={runId} by="benchmark" value={benchmark} hasReport={isKept}>
        {original !== null && file !== null && (
          <a className="button" href={file} download={original.name}>
            Download original
          </a>
        )}
      </RunControls>
      {imported.length + stated.length === 0 && (
        <p className="section">No benchmark matches “{benchmark}”.</p>
      )}
      {importedTables(imported).map((table) => (
        <Section key={table.key} title={`Measured by ${tool}, ${table.time}`}>
          <ImportedResults project={project} runId={runId} table={table} />
        </Section>
      ))}
      {importedTables(stated).map((table) => (
        <Section
          key={table.key}
          title={[`Stated by ${tool}, without samples`, ...(table.isPlain ? [] : [table.time])].join(", ")}
        >
          <StatedResults project={project} runId={runId} table={table} />
        </Section>
      ))}
      <Failures failures={failures} />
      <div className="columns">
        <Section title="Run">
          <RunFacts
            run={run}
            facts={[
              { name: "Imported", value: formatMoment(run.started_at) },
              { name: "Machine", value: run.machine },
              { name: "Imported by", value: `roundtrip ${run.suite_version}` },
              original !== null && { name: "File", value: original.name },
              original !== null && { name: "Format", value: transport?.title ?? original.format },
              original !== null && { name: "Size", value: formatBytes(original.bytes) },
            ]}
          />
        </Section>
        <Section title="File metadata">
          {facts.length > 0 ? <Facts facts={facts} /> : <p>None</p>}
          <p className="section-note">No environment, no canaries.</p>
        </Section>
      </div>
      <Section title="Import more">
        <CommandLine command={`roundtrip import FILE ${resultArguments()}`} />
      </Section>
    </>
  );
}

type Props<Result extends RunResult> = { project: string; runId: string; table: ImportedTable<Result> };

function ImportedResults({
  project,
  runId,
  table: { time, isOfOne, valued, results },
}: Props<MeasuredResult>) {
  const domain = sharedDomain(results);
  return (
    <>
      <RowTable
        label={`Measured, ${time}`}
        className="table table-dense"
        rows={results.map((result) => ({ ...result, ...result.point.latency_ns }))}
        keyOf={({ series_id }) => series_id}
        columns={[
          [rowHead("Benchmark"), (row) => <BenchmarkLink {...{ project, runId }} of={row} />, "name"],
          [numeric("p50"), ({ p50, case: kase }) => <ValueText stored={p50} of={kase} />],
          !isOfOne && [
            { name: "Per operation", className: "number", title: "p50 divided by operations per time" },
            ({ p50, case: kase }) => <OperationTime ns={p50} of={kase} />,
          ],
          [
            domain.map(formatOf(valued)).join(" to "),
            ({ point }) => <LatencyShape latency={point.latency_ns} domain={domain} width={132} />,
          ],
          [
            { name: "Middle half", className: "number", title: "p25 to p75" },
            ({ p25, p75, case: kase }) => `${formatValue(p25, kase)} to ${formatValue(p75, kase)}`,
          ],
          [numeric("Min"), ({ min, case: kase }) => <ValueText plain stored={min} of={kase} />],
          [numeric("Max"), ({ max, case: kase }) => <ValueText plain stored={max} of={kase} />],
          [numeric("Samples"), ({ point }) => formatCount(point.count)],
          [numeric("Repetitions"), ({ point }) => formatCount(point.repetition_count)],
        ]}
      />
      <p className="section-note">Log scale. Band: middle half; ticks: median, p99; dot: max.</p>
    </>
  );
}

/** Values that another tool states without samples, separate from measured ones. */
function StatedResults({ project, runId, table: { time, isOfOne, results } }: Props<StatedResult>) {
  const { statistic, hasInterval, times } = statedColumns(results);
  return (
    <>
      <RowTable
        label={`Stated, ${time}`}
        className="table table-dense"
        rows={results}
        keyOf={({ series_id }) => series_id}
        columns={[
          [rowHead("Benchmark"), (row) => <BenchmarkLink {...{ project, runId }} of={row} />, "name"],
          statistic === null && ["Statistic", ({ methodology }) => methodology.statistic, "muted"],
          [
            numeric(upperFirst(statistic ?? "value")),
            ({ summary, case: kase }) => <ValueText plain stored={summary.center_ns} of={kase} />,
          ],
          !isOfOne && [
            { name: "Per operation", className: "number", title: "value divided by operations per time" },
            ({ summary, case: kase }) => <OperationTime ns={summary.center_ns} of={kase} />,
          ],
          hasInterval && [
            numeric("Interval"),
            ({ summary, case: kase }) =>
              intervalOf(summary)?.map(formatOf(kase)).join(" to ") ?? <NotStated />,
          ],
          ...times.map(({ label, of }) => {
            const cell = ({ summary, case: kase }: StatedResult) => {
              const stored = of(summary);
              return stored === null ? <NotStated /> : <ValueText plain stored={stored} of={kase} />;
            };
            return [numeric(label), cell] as const;
          }),
          [
            numeric("Samples"),
            ({ summary: { count } }) => (count === null ? <NotStated /> : formatCount(count)),
          ],
        ]}
      />
      <p className="section-note">
        No samples: two values are never compared, but changes of the history are found.
      </p>
    </>
  );
}

type LinkProps = { project: string; runId: string; of: RunResult };

function BenchmarkLink({ project, runId, of: { series_id, case: kase } }: LinkProps) {
  return <Link {...toPoint(project, series_id, runId)}>{benchmarkName(kase)}</Link>;
}

function OperationTime({ ns, of }: { ns: number; of: Case }) {
  const each = nsPerOperation(ns, of);
  return each !== null && <TimeText plain isDivided ns={each} />;
}
