/** A run whose file another tool wrote: what it told, and what it did not. */
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { RunDetail } from "@/api/types";
import { CommandLine } from "@/components/ui/CommandLine";
import { CopyLink } from "@/components/ui/CopyLink";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { shortSha } from "@/lib/commits";
import { fileFacts, toolName } from "@/lib/imports";
import { originalHref, reportHref, toRuns } from "@/lib/paths";
import { formatMoment } from "@/lib/time";
import { counted, formatBytes } from "@/lib/units";
import { importedTables, originOf, sortResults } from "../data";
import { Failures } from "./Failures";
import { ImportedResults } from "./ImportedResults";
import { StatedResults } from "./StatedResults";

const route = getRouteApi("/$project/runs/$runId");

export function ImportedRun({ detail }: { detail: RunDetail }) {
  const { project, runId } = route.useParams();
  const { benchmark = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/$project/runs/$runId" });
  const { run, original } = detail;
  const transport = detail.results[0]?.transport ?? null;
  const tool = transport === null ? "another tool" : toolName(transport);
  const { imported, stated, failures } = sortResults(detail.results, benchmark);
  const said = fileFacts(detail.results);
  const filter = (text: string) =>
    navigate({ search: text === "" ? {} : { benchmark: text }, replace: true, resetScroll: false });
  return (
    <>
      <nav aria-label="Breadcrumb">
        <ol className="breadcrumb">
          <li>
            <Link {...toRuns(project)}>Runs</Link>
          </li>
          <li>{run.machine}</li>
          <li>imported</li>
          <li>{tool}</li>
        </ol>
      </nav>
      <h1>
        {counted(detail.results.length, "benchmark")} of <code>{shortSha(run.commit.sha)}</code>, imported
        from {tool}
      </h1>
      <p className="lede">
        ‘{run.commit.subject}’ by {run.commit.author}
      </p>
      <p className="lede">{originOf(detail)}</p>
      {run.work_tree_modified && (
        <p className="lede warning">
          Tracked files differed from the commit when the file was imported: what it tells of may not be
          exactly that commit.
        </p>
      )}
      <div className="controls section">
        <label className="field">
          Benchmark
          <input
            type="search"
            placeholder="part of its name"
            value={benchmark}
            onChange={(event) => filter(event.target.value)}
          />
        </label>
        {original !== null && (
          <a className="button" href={originalHref(runId)} download={original.name}>
            Download the original
          </a>
        )}
        <a className="button" href={reportHref(runId)} download>
          Download JSON
        </a>
        <CopyLink className="button" />
      </div>
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
