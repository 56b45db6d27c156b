/** A run whose file another tool wrote: what it told, and what it did not. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Case, RunDetail, RunResult } from "@/api/types";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { Breadcrumb, Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { CommandLine, Facts, NotTold, QuantityText, Warnings } from "@/components/ui/text";
import { benchmarkName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { fileFacts, intervalOf, nsPerOperation, toolName } from "@/lib/imports";
import { originalHref, toPoint, toRuns } from "@/lib/paths";
import { formatMoment } from "@/lib/time";
import { counted, formatBytes, formatCount, formatNs, quantityOfDividedNs, quantityOfNs } from "@/lib/units";
import {
  cautionsOf,
  type ImportedTable,
  importedTables,
  type MeasuredResult,
  originOf,
  type StatedResult,
  sharedDomain,
  sortResults,
  statedColumns,
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
  const said = fileFacts(detail.results);
  const isKept = detail.pruned.upload_at === null;
  return (
    <>
      <Breadcrumb>
        <Link {...toRuns(project)}>Runs</Link>
        {run.machine}
        {["imported", tool]}
      </Breadcrumb>
      <h1>
        {counted(detail.results.length, "benchmark")} of <code>{shortSha(run.commit.sha)}</code>, imported
        from {tool}
      </h1>
      <p className="lede">
        ‘{run.commit.subject}’ by {run.commit.author}
      </p>
      <p className="lede">{originOf(detail)}</p>
      <Warnings texts={cautionsOf(detail)} />
      <RunControls runId={runId} by="benchmark" value={benchmark} hasReport={isKept}>
        {original !== null && isKept && (
          <a className="button" href={originalHref(runId)} download={original.name}>
            Download the original
          </a>
        )}
      </RunControls>
      {imported.length + stated.length === 0 && (
        <p className="section">No benchmark has “{benchmark}” in its name.</p>
      )}
      {importedTables(imported).map((table) => (
        <Section key={table.time} title={`Measured by ${tool}, ${table.time}`}>
          <ImportedResults project={project} runId={runId} table={table} />
        </Section>
      ))}
      {importedTables(stated).map((table) => (
        <Section
          key={table.time}
          title={[`Stated by ${tool}, without samples`, ...(table.isOfOne ? [] : [table.time])].join(", ")}
        >
          <StatedResults project={project} runId={runId} table={table} />
        </Section>
      ))}
      {failures.length > 0 && (
        <Section title="Repetitions that failed">
          <Failures failures={failures} />
        </Section>
      )}
      <div className="columns">
        <Section title="Run">
          <RunFacts
            run={run}
            facts={[
              { name: "imported", value: formatMoment(run.started_at) },
              { name: "imported on", value: run.machine },
              { name: "imported by", value: `roundtrip ${run.suite_version}` },
              original !== null && { name: "file", value: original.name },
              original !== null && { name: "format", value: transport?.title ?? original.format },
              original !== null && { name: "size", value: formatBytes(original.bytes) },
            ]}
          />
        </Section>
        <Section title="What the file says of itself">
          {said.length > 0 ? <Facts facts={said} /> : <p>Nothing besides its results.</p>}
          <p className="section-note">
            The environment and the canaries of the machine are not known: only a run of Roundtrip's own has
            them.
          </p>
        </Section>
      </div>
      <Section title="Import the next one">
        <CommandLine command={`roundtrip import FILE --upload ${window.location.origin}`} />
      </Section>
    </>
  );
}

type Props<Result extends RunResult> = { project: string; runId: string; table: ImportedTable<Result> };

function ImportedResults({ project, runId, table: { time, isOfOne, results } }: Props<MeasuredResult>) {
  const domain = sharedDomain(results);
  return (
    <>
      <RowTable
        label={`Measured, ${time}`}
        className="table table-dense"
        rows={results.map((result) => ({ ...result, ...result.point.latency_ns }))}
        keyOf={({ series_id }) => series_id}
        columns={[
          [rowHead("benchmark"), (row) => <BenchmarkLink {...{ project, runId }} of={row} />, "name"],
          [numeric("p50"), ({ p50 }) => <QuantityText quantity={quantityOfNs(p50)} />],
          !isOfOne && [
            { name: "an operation", className: "number", title: "p50 over the operations of a time" },
            ({ p50, case: kase }) => <OperationTime ns={p50} of={kase} />,
          ],
          [
            `${formatNs(domain[0])} to ${formatNs(domain[1])}`,
            ({ point }) => <LatencyShape latency={point.latency_ns} domain={domain} width={132} />,
          ],
          [
            { name: "middle half", className: "number", title: "from p25 to p75" },
            ({ p25, p75 }) => `${formatNs(p25)} to ${formatNs(p75)}`,
          ],
          [numeric("min"), ({ min }) => <QuantityText plain quantity={quantityOfNs(min)} />],
          [numeric("max"), ({ max }) => <QuantityText plain quantity={quantityOfNs(max)} />],
          [numeric("samples"), ({ point }) => formatCount(point.count)],
          [numeric("repetitions"), ({ point }) => formatCount(point.repetition_count)],
        ]}
      />
      <p className="section-note">
        Shapes: the middle half as a band, the median and p99 as ticks, a dot at the maximum, on one
        logarithmic axis. What became of messages, and where the ends ran, is not told.
      </p>
    </>
  );
}

/** Figures that another tool states without samples: each is its word, and stands apart from what was measured. */
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
          [rowHead("benchmark"), (row) => <BenchmarkLink {...{ project, runId }} of={row} />, "name"],
          statistic === null && ["statistic", ({ methodology }) => methodology.statistic, "muted"],
          [
            numeric(statistic ?? "figure"),
            ({ summary }) => <QuantityText plain quantity={quantityOfNs(summary.center_ns)} />,
          ],
          !isOfOne && [
            { name: "an operation", className: "number", title: "the figure over the operations of a time" },
            ({ summary, case: kase }) => <OperationTime ns={summary.center_ns} of={kase} />,
          ],
          hasInterval && [
            numeric("interval"),
            ({ summary }) => intervalOf(summary)?.map(formatNs).join(" to ") ?? <NotTold />,
          ],
          ...times.map(({ label, of }) => {
            const cell = ({ summary }: StatedResult) => {
              const ns = of(summary);
              return ns === null ? <NotTold /> : <QuantityText plain quantity={quantityOfNs(ns)} />;
            };
            return [numeric(label), cell] as const;
          }),
          [
            numeric("made of"),
            ({ summary: { count } }) => (count === null ? <NotTold /> : `${formatCount(count)} samples`),
          ],
        ]}
      />
      <p className="section-note">
        These figures are the tool's word: their samples are not in the file. They are shown, and compared
        with nothing.
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
  return each !== null && <QuantityText plain quantity={quantityOfDividedNs(each)} />;
}
