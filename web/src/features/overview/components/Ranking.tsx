/** Which transport is the quickest and which the slowest, on the machine that measured last. */
import { Link } from "@tanstack/react-router";
import type { SeriesSummary } from "@/api/types";
import { endsOf, lowerFirst, operationName, parameterNames } from "@/lib/cases";
import { toSeries } from "@/lib/paths";
import { formatNs, formatRate } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { type Headline, headlineOf, headlineValue, type MeasuredSeries } from "../data";
import { caseOf, type Slice } from "../slice";

type Props = { machine: string; slice: Slice; series: SeriesSummary[] };

export function Ranking({ machine, slice, series }: Props) {
  const headline = headlineOf(series, machine);
  const { lossy } = headline;
  return (
    <p className="ranking">
      <Answer machine={machine} slice={slice} headline={headline} />
      {lossy.length > 0 && (
        <span className="warning">
          {" "}
          {lossy.map(({ transport }) => transport.slug).join(", ")} lost messages and{" "}
          {lossy.length === 1 ? "has" : "have"} no rank.
        </span>
      )}
    </p>
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
  return <span className="unbroken strong">{kind === "rate" ? formatRate(value) : formatNs(value)}</span>;
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
