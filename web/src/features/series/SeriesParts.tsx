/** Parts that pages of measured and stated series share. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { pointsAtQuery } from "@/api/queries";
import type { Point, RunDetail, SeriesSummary } from "@/api/types";
import type { Measure } from "@/components/chart/measure";
import { TooltipBox } from "@/components/chart/Tooltip";
import { optionsOf, Segmented, TextButton } from "@/components/ui/controls";
import { Breadcrumb, Section } from "@/components/ui/states";
import { Facts } from "@/components/ui/text";
import { parameterNames, parametersKey, parametersOf } from "@/lib/cases";
import { changeText } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { useSettled } from "@/lib/hooks";
import { fileFacts, isImported, toolName } from "@/lib/imports";
import { originalHref, toOverview } from "@/lib/paths";
import { percentileName } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { counted, formatCount, upperFirst } from "@/lib/units";
import { placementName, scenarioName } from "@/lib/vocabulary";
import { drawnPoints, seriesPoints } from "./data";
import {
  AXES,
  type Axis,
  LASTS,
  SCALES,
  type SeriesSearch,
  SHOWN,
  type Shown,
  type TrendScale,
} from "./search";
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
  scale: TrendScale;
  hasRate?: boolean;
  /** The number of newest commits to draw; absent: all. */
  last?: number;
  isZoomed: boolean;
  /** Changes the horizontal axis, or what it shows. */
  onChange: (change: SeriesSearch) => void;
  onScale: (change: SeriesSearch) => void;
  onWhole: () => void;
};

export function TrendControls(props: Props) {
  const { shown, choices, axis, scale, hasRate = false, last, isZoomed, onChange, onScale, onWhole } = props;
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
      <Segmented
        label="Scale"
        options={optionsOf(SCALES, upperFirst)}
        value={scale}
        onChange={(value) => onScale({ scale: value })}
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
  /** The stop before it. */
  previous: Stop | undefined;
  lines: StopLine[];
  measure: Measure;
  axis: Axis;
  remark: string | undefined;
  /** Its changes. */
  words: string[];
};

/** The pointer must rest this long before the commit is loaded. */
const SETTLED_MS = 120;

/**
 * The tooltip of a stop: its values, the largest first, and the change of the first line; once loaded, its commit and number of
 * operations.
 */
export function StopTooltip(props: StopTooltipProps) {
  const { series, stop, previous, lines, measure, axis, remark, words } = props;
  const { ordinal, values, mark, isModified, runs } = stop;
  // No requests while the pointer moves.
  const asked = useSettled(ordinal, SETTLED_MS);
  const { data } = useQuery(pointsAtQuery(series.series_id, asked));
  const commit = data?.commits.find((entry) => entry.ordinal === ordinal);
  const points = data?.series[0]?.points.filter(({ commit_ordinal }) => commit_ordinal === ordinal) ?? [];
  const point = drawnPoints(seriesPoints(points, []), "commits").at(-1)?.point;
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
      rows={[
        ...lines
          .map(({ key, label }) => ({ name: label, value: measure.format(values[key] ?? 0) }))
          .toReversed(),
        ...changeRow(stop, previous, lines[0]?.key ?? ""),
        ...(point === undefined ? [] : pointRows(point, lines, measure)),
        ...(commit === undefined ? [] : [{ name: "author", value: commit.author }]),
      ]}
      {...(note.length > 0 && { note: note.join("; ") })}
    />
  );
}

function changeRow({ values }: Stop, previous: Stop | undefined, key: string) {
  const [from, to] = [previous?.values[key], values[key]];
  if (previous === undefined || !from || to === undefined) return [];
  return [{ name: `vs #${previous.ordinal}`, value: changeText(to / from - 1) }];
}

function pointRows(point: Point, [first]: StopLine[], measure: Measure) {
  const { count, repetition_count, repetition_p50_ns } = point;
  const { q1, q3 } = repetition_p50_ns;
  return [
    { name: "n", value: `${formatCount(count)} in ${counted(repetition_count, "repetition")}` },
    ...(first?.key === "p50" && repetition_count > 1
      ? [{ name: "p50, middle half", value: `${measure.format(q1)} to ${measure.format(q3)}` }]
      : []),
  ];
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
