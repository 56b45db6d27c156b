/** The one sentence that answers first, from the newest run's machine, and what it rests on. */
import { Link } from "@tanstack/react-router";
import type { ProjectSummary, RunSummary, SeriesSummary } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { shortSha } from "@/lib/commits";
import { toRun, toSeries } from "@/lib/paths";
import { counted, formatBytes, formatNs, formatRate } from "@/lib/units";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import { headlineOf, headlineValue, type Slice } from "../data";

type Props = { summary: ProjectSummary; latest: RunSummary; slice: Slice; series: SeriesSummary[] };

export function HeadlineText({ summary, latest, slice, series }: Props) {
  return (
    <header>
      <h1>
        <Answer latest={latest} slice={slice} series={series} />
      </h1>
      <p className="lede">
        {counted(summary.series_count, "series", "series")} over {counted(summary.commit_count, "commit")} on{" "}
        {counted(summary.machine_count, "machine")}; last measured{" "}
        <Link {...toRun(summary.project, latest.run_id)}>
          <code>{shortSha(latest.commit.sha)}</code>
        </Link>{" "}
        ‘{latest.commit.subject}’, <Ago moment={latest.finished_at} />. Changes between commits are not judged
        yet.
      </p>
      {latest.build !== "release" && (
        <p className="lede warning">
          The newest run was measured by a {latest.build} build: its figures are not for comparison.
        </p>
      )}
    </header>
  );
}

function Answer({ latest, slice, series }: Omit<Props, "summary">) {
  const headline = headlineOf(series, latest.machine);
  if (headline === null) {
    return `Nothing was measured on ${latest.machine} for ${sliceName(slice)}.`;
  }
  const { best, worst, transportCount, machine } = headline;
  const isRate = headlineValue(best.latest).kind === "rate";
  const operation = isRate
    ? `A ${scenarioName(slice.scenario)} of ${formatBytes(slice.bytes)} writes`
    : `A ${formatBytes(slice.bytes)} ${scenarioName(slice.scenario)}`;
  const verb = isRate ? "carries" : "takes";
  if (transportCount === 1) {
    return (
      <>
        {operation} {verb} {valueText(best)} over {transportLink(best)} on {machine}.
      </>
    );
  }
  return (
    <>
      {operation} {verb} {valueText(best)} over {transportLink(best)} and {valueText(worst)} over{" "}
      {transportLink(worst)}: the fastest and the slowest of {transportCount} transports on {machine}.
    </>
  );
}

function transportLink(series: SeriesSummary) {
  return <Link {...toSeries(series.project, series.series_id)}>{series.transport.slug}</Link>;
}

function valueText(series: SeriesSummary & { latest: NonNullable<SeriesSummary["latest"]> }): string {
  const { kind, value } = headlineValue(series.latest);
  return kind === "rate" ? formatRate(value) : formatNs(value);
}

function sliceName({ scenario, mode, placement, bytes }: Slice): string {
  return `${scenarioName(scenario)} of ${formatBytes(bytes)}, ${modeName(mode)}, ${placementName(placement)}`;
}
