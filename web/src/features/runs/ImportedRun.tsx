/** A run whose file another tool wrote: what it told, and what it did not. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { RunDetail } from "@/api/types";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { Section } from "@/components/ui/states";
import { numeric, Table } from "@/components/ui/Table";
import { CommandLine, Facts, QuantityText } from "@/components/ui/text";
import { benchmarkName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { fileFacts, intervalOf, NOT_TOLD, nsPerOperation, toolName } from "@/lib/imports";
import { originalHref, toPoint } from "@/lib/paths";
import { prunedNote } from "@/lib/pruned";
import { formatMoment } from "@/lib/time";
import { counted, formatBytes, formatCount, formatNs, quantityOfDividedNs, quantityOfNs } from "@/lib/units";
import {
  type ImportedTable,
  importedTables,
  type MeasuredResult,
  originOf,
  type StatedResult,
  sharedDomain,
  sortResults,
  statedColumns,
} from "./data";
import { Failures, Quarantined, RunBreadcrumb, RunControls } from "./RunParts";

const route = getRouteApi("/$project/runs/$runId");

export function ImportedRun({ detail }: { detail: RunDetail }) {
  const { project, runId } = route.useParams();
  const { benchmark = "" } = route.useSearch();
  const { run, original } = detail;
  const transport = detail.results[0]?.transport ?? null;
  const tool = transport === null ? "another tool" : toolName(transport);
  const { imported, stated, failures } = sortResults(detail.results, benchmark);
  const said = fileFacts(detail.results);
  const missing = prunedNote(detail.pruned);
  const isKept = detail.pruned.upload_at === null;
  return (
    <>
      <RunBreadcrumb project={project}>
        <li>{run.machine}</li>
        <li>imported</li>
        <li>{tool}</li>
      </RunBreadcrumb>
      <h1>
        {counted(detail.results.length, "benchmark")} of <code>{shortSha(run.commit.sha)}</code>, imported
        from {tool}
      </h1>
      <p className="lede">
        ‘{run.commit.subject}’ by {run.commit.author}
      </p>
      <p className="lede">{originOf(detail)}</p>
      {missing !== null && <p className="lede warning">{missing}</p>}
      <Quarantined run={run} />
      {run.work_tree_modified && (
        <p className="lede warning">
          Tracked files differed from the commit when the file was imported: what it tells of may not be
          exactly that commit.
        </p>
      )}
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
          <Facts
            facts={[
              { name: "commit", value: <code>{run.commit.sha}</code> },
              { name: "committed", value: formatMoment(run.commit.committed_at) },
              { name: "branch", value: run.branch ?? "none was checked out" },
              ...(run.pull_request === null ? [] : [{ name: "pull request", value: `#${run.pull_request}` }]),
              { name: "imported", value: formatMoment(run.started_at) },
              { name: "imported on", value: run.machine },
              { name: "imported by", value: `roundtrip ${run.suite_version}` },
              ...(original === null
                ? []
                : [
                    { name: "file", value: original.name },
                    { name: "format", value: transport?.title ?? original.format },
                    { name: "size", value: formatBytes(original.bytes) },
                  ]),
              { name: "run", value: <code>{run.run_id}</code> },
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

type Props = { project: string; runId: string; table: ImportedTable<MeasuredResult> };

/** What another tool measured, with samples: benchmark by benchmark. */
function ImportedResults({ project, runId, table: { time, isOfOne, results } }: Props) {
  const domain = sharedDomain(results);
  return (
    <>
      <Table
        label={`Measured, ${time}`}
        className="table table-dense"
        heads={[
          "benchmark",
          numeric("p50"),
          ...(!isOfOne
            ? [{ name: "an operation", className: "number", title: "p50 over the operations of a time" }]
            : []),
          `${formatNs(domain[0])}to ${formatNs(domain[1])}`,
          { name: "middle half", className: "number", title: "from p25 to p75" },
          numeric("min"),
          numeric("max"),
          numeric("samples"),
          numeric("repetitions"),
        ]}
      >
        <tbody>
          {results.map(({ series_id, case: kase, point }) => {
            const { min, p25, p50, p75, max } = point.latency_ns;
            const each = nsPerOperation(p50, kase);
            return (
              <tr key={series_id}>
                <th scope="row" className="name">
                  <Link {...toPoint(project, series_id, runId)}>{benchmarkName(kase)}</Link>
                </th>
                <td className="number">
                  <QuantityText quantity={quantityOfNs(p50)} />
                </td>
                {each !== null && (
                  <td className="number">
                    <QuantityText plain quantity={quantityOfDividedNs(each)} />
                  </td>
                )}
                <td>
                  <LatencyShape latency={point.latency_ns} domain={domain} width={132} />
                </td>
                <td className="number">
                  {formatNs(p25)} to {formatNs(p75)}
                </td>
                <td className="number">
                  <QuantityText plain quantity={quantityOfNs(min)} />
                </td>
                <td className="number">
                  <QuantityText plain quantity={quantityOfNs(max)} />
                </td>
                <td className="number">{formatCount(point.count)}</td>
                <td className="number">{formatCount(point.repetition_count)}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      <p className="section-note">
        Shapes: the middle half as a band, the median and p99 as ticks, a dot at the maximum, on one
        logarithmic axis. What became of messages, and where the ends ran, is not told.
      </p>
    </>
  );
}

type StatedResultsProps = { project: string; runId: string; table: ImportedTable<StatedResult> };

/** Figures that another tool states without samples: each is its word, and stands apart from what was measured. */
function StatedResults({ project, runId, table: { time, isOfOne, results } }: StatedResultsProps) {
  const { statistic, hasInterval, times } = statedColumns(results);
  return (
    <>
      <Table
        label={`Stated, ${time}`}
        className="table table-dense"
        heads={[
          "benchmark",
          ...(statistic === null ? ["statistic"] : []),
          numeric(statistic ?? "figure"),
          ...(!isOfOne
            ? [
                {
                  name: "an operation",
                  className: "number",
                  title: "the figure over the operations of a time",
                },
              ]
            : []),
          ...(hasInterval ? [numeric("interval")] : []),
          ...times.map(({ label }) => numeric(label)),
          numeric("made of"),
        ]}
      >
        <tbody>
          {results.map(({ series_id, case: kase, methodology, summary }) => {
            const each = nsPerOperation(summary.center_ns, kase);
            const interval = intervalOf(summary);
            return (
              <tr key={series_id}>
                <th scope="row" className="name">
                  <Link {...toPoint(project, series_id, runId)}>{benchmarkName(kase)}</Link>
                </th>
                {statistic === null && <td className="muted">{methodology.statistic}</td>}
                <td className="number">
                  <QuantityText plain quantity={quantityOfNs(summary.center_ns)} />
                </td>
                {each !== null && (
                  <td className="number">
                    <QuantityText plain quantity={quantityOfDividedNs(each)} />
                  </td>
                )}
                {hasInterval && (
                  <td className="number">
                    {interval === null ? <NotTold /> : `${formatNs(interval[0])} to ${formatNs(interval[1])}`}
                  </td>
                )}
                {times.map(({ label, of }) => {
                  const ns = of(summary);
                  return (
                    <td key={label} className="number">
                      {ns === null ? <NotTold /> : <QuantityText plain quantity={quantityOfNs(ns)} />}
                    </td>
                  );
                })}
                <td className="number">
                  {summary.count === null ? <NotTold /> : `${formatCount(summary.count)} samples`}
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      <p className="section-note">
        These figures are the tool's word: their samples are not in the file. They are shown, and compared
        with nothing.
      </p>
    </>
  );
}

function NotTold() {
  return <span className="muted">{NOT_TOLD}</span>;
}
