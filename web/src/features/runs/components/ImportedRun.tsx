/** A run whose file another tool wrote: what it told, and what it did not. */
import { getRouteApi } from "@tanstack/react-router";
import type { RunDetail } from "@/api/types";
import { CommandLine } from "@/components/ui/CommandLine";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { shortSha } from "@/lib/commits";
import { fileFacts, toolName } from "@/lib/imports";
import { originalHref } from "@/lib/paths";
import { prunedNote } from "@/lib/pruned";
import { formatMoment } from "@/lib/time";
import { counted, formatBytes } from "@/lib/units";
import { importedTables, originOf, sortResults } from "../data";
import { Failures } from "./Failures";
import { ImportedResults } from "./ImportedResults";
import { Quarantined } from "./Quarantined";
import { RunBreadcrumb } from "./RunBreadcrumb";
import { RunControls } from "./RunControls";
import { StatedResults } from "./StatedResults";

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
