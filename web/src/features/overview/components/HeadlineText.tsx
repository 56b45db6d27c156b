/** The one sentence that answers first, from the newest run's machine, and what it rests on. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ProjectSummary, RunSummary, SeriesSummary } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { endsOf, lowerFirst, operationName, parameterNames } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { isImport } from "@/lib/imports";
import { toRun, toSeries } from "@/lib/paths";
import { counted, formatNs, formatRate } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { type Headline, headlineOf, headlineValue, type LatestMeasured, type MeasuredSeries } from "../data";
import { toolsOf } from "../imported";
import { caseOf, type Slice } from "../slice";

/** From this many tools on, how many says more than which. */
const TOOLS_NAMED_MAX = 2;

type Props = {
  summary: ProjectSummary;
  /** The newest run of all, an import too. */
  latest: RunSummary;
  latestMeasured: LatestMeasured | null;
  slice: Slice;
  series: SeriesSummary[];
  imported: SeriesSummary[];
  /** What else is told at once: what changed. */
  children: ReactNode;
};

export function HeadlineText({ summary, latest, latestMeasured, slice, series, imported, children }: Props) {
  const headline = latestMeasured === null ? null : headlineOf(series, latestMeasured.machine);
  const lossy = headline?.lossy ?? [];
  const run = latestMeasured?.run ?? latest;
  return (
    <header>
      <h1>
        {latestMeasured === null || headline === null ? (
          `${importedText(imported)} ${toolsOf(imported).benchmarks === 1 ? "was" : "were"} imported; nothing was measured here yet.`
        ) : (
          <Answer machine={latestMeasured.machine} slice={slice} headline={headline} />
        )}
      </h1>
      <p className="lede">
        {counted(summary.series_count, "series", "series")} over {counted(summary.commit_count, "commit")} on{" "}
        {counted(summary.machine_count, "machine")}
        {latestMeasured !== null && imported.length > 0 && `, ${importedText(imported)} among them`}; last{" "}
        {isImport(run) ? "imported" : "measured"}{" "}
        <Link {...toRun(summary.project, run.run_id)}>
          <code>{shortSha(run.commit.sha)}</code>
        </Link>{" "}
        ‘{run.commit.subject}’, <Ago moment={run.finished_at} />.
      </p>
      <p className="lede">{children}</p>
      {lossy.length > 0 && (
        <p className="lede warning">
          {lossy.map(({ transport }) => transport.slug).join(", ")} lost messages and{" "}
          {lossy.length === 1 ? "has" : "have"} no rank.
        </p>
      )}
      {!isImport(run) && run.build !== "release" && (
        <p className="lede warning">
          The newest run was measured by a {run.build} build: its figures are not for comparison.
        </p>
      )}
    </header>
  );
}

/** `12 benchmarks of JMH and k6`; of many tools, how many. */
function importedText(imported: SeriesSummary[]): string {
  const { benchmarks, tools } = toolsOf(imported);
  const named = tools.length > TOOLS_NAMED_MAX ? counted(tools.length, "tool") : tools.join(" and ");
  return `${counted(benchmarks, "benchmark")} of ${named}`;
}

type AnswerProps = { machine: string; slice: Slice; headline: Headline };

function Answer({ machine, slice, headline: { ranked, lossy } }: AnswerProps) {
  const [best] = ranked;
  const worst = ranked.at(-1);
  if (best === undefined || worst === undefined) {
    return lossy.length === 0
      ? `Nothing was measured on ${machine} for ${sliceName(slice)}.`
      : `Nothing delivered everything on ${machine} for ${sliceName(slice)}.`;
  }
  const verb = headlineValue(best.latest).kind === "rate" ? "carries" : "takes";
  const kase = caseOf(slice);
  const names = parameterNames(kase).join(", ");
  const operation = `${operationName(kase)}${names === "" ? "" : ` (${names})`}`;
  if (ranked.length === 1) {
    return (
      <>
        {operation} {verb} {valueText(best)} over {transportLink(best)} on {machine}.
      </>
    );
  }
  return (
    <>
      {operation} {verb} {valueText(best)} over {transportLink(best)} and {valueText(worst)} over{" "}
      {transportLink(worst)}: the fastest and the slowest of {ranked.length} transports on{" "}
      <span className="unbroken">{machine}</span>.
    </>
  );
}

function transportLink(series: MeasuredSeries) {
  return <Link {...toSeries(series.project, series.series_id)}>{series.transport.slug}</Link>;
}

function valueText(series: MeasuredSeries) {
  const { kind, value } = headlineValue(series.latest);
  return <span className="unbroken">{kind === "rate" ? formatRate(value) : formatNs(value)}</span>;
}

function sliceName(slice: Slice): string {
  const kase = caseOf(slice);
  return [
    lowerFirst(operationName(kase)),
    modeName(slice.mode, endsOf(slice.parameters)),
    placementName(slice.placement),
    ...parameterNames(kase),
  ].join(", ");
}
