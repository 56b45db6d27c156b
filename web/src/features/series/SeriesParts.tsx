/** Parts that pages of measured and stated series share. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { commitsQuery } from "@/api/queries";
import type { RunDetail, SeriesSummary } from "@/api/types";
import type { Measure } from "@/components/chart/measure";
import { TooltipBox } from "@/components/chart/Tooltip";
import { optionsOf, Segmented, TextButton } from "@/components/ui/controls";
import { Breadcrumb, Section } from "@/components/ui/states";
import { Facts } from "@/components/ui/text";
import { parameterNames, parametersKey, parametersOf } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { useSettled } from "@/lib/hooks";
import { fileFacts, isImported, toolName } from "@/lib/imports";
import { originalHref, toOverview } from "@/lib/paths";
import { percentileName } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { formatCount, upperFirst } from "@/lib/units";
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
        <Link {...overview}>Imported</Link>
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
  /** Absent if there is only one value to show. */
  shown?: Shown;
  /** The percentiles with enough samples; absent: all. */
  choices?: Shown[];
  axis: Axis;
  hasRate?: boolean;
  /** The number of newest commits to draw; absent: all. */
  last?: number;
  isZoomed: boolean;
  onChange: (change: SeriesSearch) => void;
  onWhole: () => void;
};

export function TrendControls(props: Props) {
  const { shown, choices, axis, hasRate = false, last, isZoomed, onChange, onWhole } = props;
  const values = SHOWN.filter((value) =>
    value === "throughput" ? hasRate : (choices?.includes(value) ?? true),
  );
  const options = optionsOf(values, percentileName);
  return (
    <div className="controls">
      {shown !== undefined && options.length > 1 && (
        <Segmented
          label="Highest percentile"
          options={options}
          value={shown}
          onChange={(show) => onChange({ show })}
        />
      )}
      <Segmented
        label="Axis"
        options={optionsOf(AXES, upperFirst)}
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
      {isZoomed && <TextButton onClick={onWhole}>Show all</TextButton>}
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
  /** Its changes. */
  words: string[];
};

/** The pointer must rest this long before the commit is loaded. */
const SETTLED_MS = 120;

/** The tooltip of a stop: its commit once loaded, and its values, the largest first. */
export function StopTooltip({ series, stop, lines, measure, axis, remark, words }: StopTooltipProps) {
  const { ordinal, values, mark, isModified, runs } = stop;
  // No requests while the pointer moves.
  const asked = useSettled(ordinal, SETTLED_MS);
  const { data } = useQuery(commitsQuery(series.project, { from: asked, to: asked, limit: 1 }));
  const commit = data?.commits.find((entry) => entry.ordinal === ordinal);
  const remarks = [
    axis === "time" && formatMoment(new Date(stop.x).toISOString()),
    runs > 1 && `one of ${runs} runs`,
    isModified && "modified or unbuilt",
    mark === "lossy" && "lossy",
    remark,
  ].filter(Boolean);
  const note = [...(remarks.length > 0 ? [remarks.join(", ")] : []), ...words];
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
      {...(note.length > 0 && { note: note.join("; ") })}
    />
  );
}

/** The imported file of the pinned point, and its facts. */
export function FileSection({ series, run }: { series: SeriesSummary; run: RunDetail | null }) {
  const original = run?.original ?? null;
  if (run === null || original === null) return null;
  const href = run.pruned.upload_at === null ? originalHref(run.run.run_id) : null;
  return (
    <Section title="File">
      <Facts
        facts={[
          {
            name: "Name",
            value:
              href === null ? (
                original.name
              ) : (
                <a href={href} download={original.name}>
                  {original.name}
                </a>
              ),
          },
          { name: "Format", value: series.transport.title },
          ...fileFacts(run.results),
        ]}
      />
    </Section>
  );
}
