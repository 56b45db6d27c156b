/** The one sentence that answers first, from the newest run's machine, and what it rests on. */
import { Link } from "@tanstack/react-router";
import type { ProjectSummary, RunSummary, SeriesSummary } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { endsOf, lowerFirst, operationName, parameterNames } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { toRun, toSeries } from "@/lib/paths";
import { counted, formatNs, formatRate } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { type Headline, headlineOf, headlineValue, type MeasuredSeries } from "../data";
import { caseOf, type Slice } from "../slice";

type Props = { summary: ProjectSummary; latest: RunSummary; slice: Slice; series: SeriesSummary[] };

export function HeadlineText({ summary, latest, slice, series }: Props) {
  const headline = headlineOf(series, latest.machine);
  const { lossy } = headline;
  return (
    <header>
      <h1>
        <Answer machine={latest.machine} slice={slice} headline={headline} />
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
      {lossy.length > 0 && (
        <p className="lede warning">
          {lossy.map(({ transport }) => transport.slug).join(", ")} lost messages and{" "}
          {lossy.length === 1 ? "has" : "have"} no rank.
        </p>
      )}
      {latest.build !== "release" && (
        <p className="lede warning">
          The newest run was measured by a {latest.build} build: its figures are not for comparison.
        </p>
      )}
    </header>
  );
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
