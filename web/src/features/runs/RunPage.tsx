/** One run in full: where and how it was measured, and every result. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { runQuery, sessionQuery } from "@/api/queries";
import type { RunDetail } from "@/api/types";
import { DeliveryCells, DeliveryHeads } from "@/components/DeliveryTable";
import { Breadcrumb, ScrollRegion, Section } from "@/components/ui/states";
import { type Column, numeric, RowTable, rowHead } from "@/components/ui/Table";
import { CommandLine, Facts, Warnings } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { shortSha } from "@/lib/commits";
import { useTitle } from "@/lib/hooks";
import { isImportInFull } from "@/lib/imports";
import { toJob, toMeasure, toPoint, toRuns } from "@/lib/paths";
import { formatDuration, formatMoment } from "@/lib/time";
import { counted, formatCount, formatNs } from "@/lib/units";
import { scenarioName } from "@/lib/vocabulary";
import {
  bufferGroups,
  cautionsOf,
  deliveryGroups,
  disturbedGroups,
  factsOf,
  isOfTwoSides,
  isSynthetic,
  probesOf,
  programFacts,
  reproCommands,
  runTitle,
  sortResults,
} from "./data";
import { ImportedRun } from "./ImportedRun";
import { Results } from "./Results";
import { Failures, RunControls, RunFacts } from "./RunParts";

const route = getRouteApi("/$project/runs/$runId");

export function RunPage() {
  const { runId } = route.useParams();
  const { data: detail } = useSuspenseQuery(runQuery(runId));
  useTitle(runTitle(detail));
  return isImportInFull(detail) ? <ImportedRun detail={detail} /> : <MeasuredRun detail={detail} />;
}

function MeasuredRun({ detail }: { detail: RunDetail }) {
  const { project, runId } = route.useParams();
  const { transport = "" } = route.useSearch();
  const { run } = detail;
  const results = sortResults(detail.results, transport);
  const measured = [...results.measured.values()].flat();
  const deliveries = deliveryGroups(measured);
  const disturbed = disturbedGroups(measured);
  const buffers = bufferGroups(measured);
  const programs = programFacts(detail.results);
  const probes = probesOf(detail.results);
  const isDrawn = isSynthetic(detail.environment);

  return (
    <>
      <Breadcrumb>
        <Link {...toRuns(project)}>Runs</Link>
        {run.machine}
        {run.preset}
      </Breadcrumb>
      <h1>
        {counted(run.point_count, "result")} of <code>{shortSha(run.commit.sha)}</code> on {run.machine}
      </h1>
      <p className="lede">
        ‘{run.commit.subject}’ by {run.commit.author}
      </p>
      <Warnings texts={cautionsOf(detail)} />
      {probes.length > 0 && (
        <p className="lede warning">
          Measured under the probe <strong>{probes.join(", ")}</strong>: not comparable with raw figures.
        </p>
      )}

      <RunControls
        runId={runId}
        by="transport"
        value={transport}
        hasReport={detail.pruned.upload_at === null}
      />
      {results.measured.size === 0 && detail.results.length > 0 && (
        <p className="section">No measured transport has “{transport}” in its name.</p>
      )}
      {[...results.measured].map(([scenario, ofScenario]) => (
        <Section key={scenario} title={`Results, ${scenarioName(scenario)}`}>
          <Results project={project} runId={runId} scenario={scenario} results={ofScenario} />
        </Section>
      ))}
      {deliveries.length > 0 && (
        <Section title="Messages that did not arrive as sent">
          <Deliveries project={project} runId={runId} groups={deliveries} />
        </Section>
      )}
      {disturbed.length > 0 && (
        <Section title="Disturbed repetitions">
          <RowTable
            className="table table-dense"
            label="Disturbed repetitions"
            rows={disturbed}
            keyOf={({ reason }) => reason}
            columns={[
              ["reason", ({ reason }) => reason, "wrap"],
              [numeric("times"), ({ times }) => formatCount(times)],
              CASES,
            ]}
          />
          <p className="section-note">
            They are marked and kept. Reasons that differ only in their figures are one line, with the first
            as the example.
          </p>
        </Section>
      )}
      {results.failures.length > 0 && (
        <Section title="Repetitions that failed">
          <Failures failures={results.failures} />
        </Section>
      )}
      {programs.length > 0 && (
        <Section title="Programs">
          <Facts facts={programs} />
        </Section>
      )}
      {buffers.length > 0 && (
        <Section title="Buffers">
          <RowTable
            className="table table-dense"
            label="Buffers"
            rows={buffers}
            keyOf={({ transport, asked, granted }) => `${transport} ${asked} ${granted}`}
            columns={[
              [rowHead("transport"), ({ transport }) => transport],
              ["asked for", ({ asked }) => asked, "muted"],
              ["granted", ({ granted }) => granted],
              CASES,
            ]}
          />
        </Section>
      )}
      {results.unsupported.length > 0 && (
        <Section title="Not on this system">
          <RowTable
            className="table table-dense"
            label="Not on this system"
            rows={results.unsupported}
            keyOf={({ transport, reason }) => `${transport} ${reason}`}
            columns={[
              [rowHead("transport"), ({ transport }) => transport],
              CASES,
              ["reason", ({ reason }) => reason, "wrap"],
            ]}
          />
        </Section>
      )}

      <div className="columns">
        <Section title="Run">
          <RunFacts
            run={run}
            facts={[
              { name: "measured", value: formatMoment(run.started_at) },
              { name: "took", value: formatDuration(run.started_at, run.finished_at) },
              { name: "suite", value: `${run.suite_version}, ${run.build} build` },
              { name: "preset", value: run.preset },
              { name: "order of repetitions", value: `drawn from seed ${run.order_seed}` },
              run.job_id !== null && {
                name: "job",
                value: <Link {...toJob(run.project, run.job_id)}>{run.job_id}</Link>,
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
          <p className="section-note">Readings of the machine itself, per operation.</p>
        </Section>
      </div>
      <Section title="Measure it again">
        {isDrawn ? (
          <p>Nobody measured it.</p>
        ) : isOfTwoSides(detail) ? (
          <p>
            Two sides were measured in turns by <code>roundtrip ab</code>, in the order of seed{" "}
            {run.order_seed}. Which two, its report does not say, so there is no command to repeat it here.
          </p>
        ) : (
          reproCommands(detail).map((command) => <CommandLine key={command} command={command} />)
        )}
        {!isDrawn && <AskAgain detail={detail} />}
      </Section>
      <div className="columns">
        <Section title="Environment, stable">
          <Facts wide facts={environmentFacts(detail.environment.stable)} />
          <p className="section-note">Runs are comparable while all of these stay the same.</p>
        </Section>
        <Section title="Environment, at that minute">
          <Facts wide facts={environmentFacts(detail.environment.conditions)} />
        </Section>
      </div>
    </>
  );
}

/** Leads whoever may ask to the form, filled in. A pull request is asked for where it is. */
function AskAgain({ detail: { run } }: { detail: RunDetail }) {
  const { data: session } = useQuery(sessionQuery);
  const mayAsk = session !== undefined && refusal(session, run.project, "queue") === null;
  if (!mayAsk || run.pull_request !== null) return null;
  const { machine, preset, commit } = run;
  return (
    <p className="section-note">
      <Link {...toMeasure(run.project, { commits: commit.sha, machine, preset })}>
        Ask {machine} to do so
      </Link>
    </p>
  );
}

/** Reasons why a fact is absent step back behind the facts. */
function environmentFacts(facts: Record<string, string>) {
  return factsOf(facts).map(({ name, value, isAbsent }) => ({
    name,
    value: isAbsent ? <span className="muted">{value}</span> : value,
  }));
}

type Props = { project: string; runId: string; groups: ReturnType<typeof deliveryGroups> };

/** How many cases a fact is about, with their names behind the number. */
const CASES: Column<{ cases: string[] }> = [
  "cases",
  ({ cases }) => counted(cases.length, "case"),
  ({ cases }) => ({ className: "muted", title: cases.join("\n") }),
];

/** The results of which some receiver did not get everything that the transport took. */
function Deliveries({ project, runId, groups }: Props) {
  return (
    <>
      <ScrollRegion label="Messages that did not arrive as sent">
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">transport</th>
              <th scope="col">case</th>
              <DeliveryHeads />
            </tr>
          </thead>
          {groups.map(({ series_id, transport, caseName, deliveries }) => (
            <tbody key={series_id}>
              {deliveries.map((delivery, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: receivers are told apart by their place alone.
                <tr key={index}>
                  {index === 0 && (
                    <>
                      <th scope="rowgroup" rowSpan={deliveries.length} className="top">
                        <Link {...toPoint(project, series_id, runId)}>{transport}</Link>
                      </th>
                      <td rowSpan={deliveries.length} className="muted brief top">
                        {caseName}
                      </td>
                    </>
                  )}
                  <DeliveryCells receiver={index + 1} delivery={delivery} />
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </ScrollRegion>
      <p className="section-note">
        Of the messages that the transport took, over all repetitions. Torn: with another content than any
        message that was sent.
      </p>
    </>
  );
}
