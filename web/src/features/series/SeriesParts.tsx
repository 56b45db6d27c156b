/** What a series is: everything about it but what the headline says, the message size or the benchmark. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { commitsQuery } from "@/api/queries";
import type { RunDetail, SeriesSummary } from "@/api/types";
import type { Measure } from "@/components/chart/measure";
import { TooltipBox } from "@/components/chart/Tooltip";
import { Segmented } from "@/components/ui/controls";
import { Breadcrumb, Section } from "@/components/ui/states";
import { Facts } from "@/components/ui/text";
import { parameterNames, parametersKey, parametersOf } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { useSettled } from "@/lib/hooks";
import { fileFacts, isImported, toolName } from "@/lib/imports";
import { originalHref, toOverview } from "@/lib/paths";
import { percentileName } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { formatCount } from "@/lib/units";
import { placementName, scenarioName } from "@/lib/vocabulary";
import { AXES, type Axis, LASTS, type SeriesSearch, SHOWN, type Shown } from "./search";
import type { Stop, StopLine } from "./stops";

export const SeriesBreadcrumb = memo(function SeriesBreadcrumb({ series }: { series: SeriesSummary }) {
  const { machine, transport, case: kase } = series;
  const { scenario, mode, placement, message_bytes: bytes } = kase;
  const overview = toOverview(series.project);
  if (isImported(series)) {
    return (
      <Breadcrumb>
        {machine}
        <Link {...overview}>imported</Link>
        {toolName(transport)}
      </Breadcrumb>
    );
  }
  const slice = { scenario, mode, placement, bytes, parameters: parametersKey(parametersOf(kase)) };
  return (
    <Breadcrumb>
      {machine}
      <Link {...overview} search={slice}>
        {scenarioName(scenario)}
      </Link>
      {[transport.slug, mode, placementName(placement), ...parameterNames(kase)]}
    </Breadcrumb>
  );
});

type Props = {
  /** Absent: there is one figure, and nothing to choose. */
  shown?: Shown;
  /** How far the samples reach into the tail; absent: as far as there is a name for. */
  choices?: Shown[];
  axis: Axis;
  hasRate?: boolean;
  /** How many of the newest commits are drawn; absent: all. */
  last?: number;
  isZoomed: boolean;
  onChange: (change: SeriesSearch) => void;
  onWhole: () => void;
};

/** Chooses how far into the tail the trend reaches, and what it runs over. */
export function TrendControls(props: Props) {
  const { shown, choices, axis, hasRate = false, last, isZoomed, onChange, onWhole } = props;
  const values = SHOWN.filter((value) =>
    value === "throughput" ? hasRate : (choices?.includes(value) ?? true),
  );
  const options = values.map((value) => ({ value, label: percentileName(value) }));
  return (
    <div className="controls">
      {shown !== undefined && options.length > 1 && (
        <Segmented
          label="Show up to"
          options={options}
          value={shown}
          onChange={(show) => onChange({ show })}
        />
      )}
      <Segmented
        label="Over"
        options={AXES.map((value) => ({ value, label: value }))}
        value={axis}
        onChange={(value) => onChange({ axis: value })}
      />
      {last !== undefined && axis === "commits" && (
        <Segmented
          label="Newest commits"
          options={LASTS.map((value) => ({ value: String(value), label: formatCount(value) }))}
          value={String(last)}
          onChange={(value) => onChange({ last: Number(value) })}
        />
      )}
      {isZoomed && (
        <button type="button" className="text-button" onClick={onWhole}>
          Show all
        </button>
      )}
    </div>
  );
}

type StopTooltipProps = {
  series: SeriesSummary;
  stop: Stop;
  lines: StopLine[];
  measure: Measure;
  axis: Axis;
  remark: string | undefined;
};

/** Who rests so long means what is there. */
const SETTLED_MS = 120;

/** What stands at a stop of the trend: its commit, as soon as that is known, and its figures, the largest first. */
export function StopTooltip({ series, stop, lines, measure, axis, remark }: StopTooltipProps) {
  const { ordinal, values, mark, isModified, runs } = stop;
  // Who moves along a line is not asking for every commit on the way.
  const asked = useSettled(ordinal, SETTLED_MS);
  const { data } = useQuery(commitsQuery(series.project, { from: asked, to: asked, limit: 1 }));
  const commit = data?.commits.find((entry) => entry.ordinal === ordinal);
  const note = [
    axis === "time" && formatMoment(new Date(stop.x).toISOString()),
    runs > 1 && `one of ${runs} runs`,
    isModified && "modified work tree",
    mark === "lossy" && "lossy",
    remark,
  ].filter(Boolean);
  return (
    <TooltipBox
      heading={
        <>
          #{ordinal}{" "}
          {commit !== undefined && (
            <>
              <code>{shortSha(commit.sha)}</code> {commit.subject}
            </>
          )}
        </>
      }
      rows={lines
        .map(({ key, label }) => ({ name: label, value: measure.format(values[key] ?? 0) }))
        .toReversed()}
      {...(note.length > 0 && { note: note.join(", ") })}
    />
  );
}

/** The file that the pinned point is from, and what it says of itself. */
export function FileSection({ series, run }: { series: SeriesSummary; run: RunDetail | null }) {
  const original = run?.original ?? null;
  if (run === null || original === null) return null;
  const download = { href: originalHref(run.run.run_id), download: original.name };
  return (
    <Section title="File">
      <Facts
        facts={[
          {
            name: "name",
            value: run.pruned.upload_at !== null ? original.name : <a {...download}>{original.name}</a>,
          },
          { name: "format", value: series.transport.title },
          ...fileFacts(run.results),
        ]}
      />
    </Section>
  );
}
