/** The data of each chart as a table and as CSV, in base units. */
import { Link } from "@tanstack/react-router";
import type { SeriesSummary, StatedPoint } from "@/api/types";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import type { HeatColumn } from "@/components/chart/HeatMap";
import type { SweepLine } from "@/components/chart/SweepChart";
import { shortSha } from "@/lib/commits";
import { fileName } from "@/lib/fileNames";
import { NOT_STATED, statedTimes } from "@/lib/imports";
import { lineCsvHref, toPoint, toSeriesAt } from "@/lib/paths";
import { boundsOfBin } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { formatBytes, formatCount, formatNs, formatOf, formatRate, formatShare } from "@/lib/units";
import { type SeriesPoint, sizesOf } from "./data";
import type { Axis, Shown } from "./search";
import type { Stop, StopLine } from "./stops";

/** The trend: one row per stop. The CSV comes from the server and has all points, also those not drawn. */
export function stopsTable(series: SeriesSummary, stops: Stop[], lines: StopLine[], axis: Axis): ChartTable {
  const { project, series_id } = series;
  const hasLoss = stops.some(({ mark }) => mark === "lossy");
  const format = lines.some(({ key }) => key === "rate") ? formatRate : formatOf(series.case);
  const columns = [
    num("#", "commit_ordinal", ({ ordinal }: Stop) => ordinal),
    axis === "time" &&
      word("Measured", "measured_at", ({ x }: Stop) => formatMoment(new Date(x).toISOString())),
    hasLoss &&
      word(
        "Loss",
        "lossy",
        ({ mark }: Stop) => mark === "lossy",
        ({ mark }) => (mark === "lossy" ? <span className="warning">lossy</span> : "none"),
      ),
    ...lines.map(({ key, label }) => num(label, key, ({ values }: Stop) => values[key] ?? null, format)),
    word(
      "Point",
      "pin",
      ({ runId }: Stop) => runId,
      ({ ordinal, runId }) => (
        <Link
          {...(runId === null ? toSeriesAt(project, series_id, ordinal) : toPoint(project, series_id, runId))}
        >
          pin
        </Link>
      ),
    ),
  ].filter((column) => column !== false);
  const table = tableOf(`${fileName(series)}-commits`, () => stops.toReversed(), columns);
  return { ...table, csvHref: lineCsvHref(series_id) };
}

/** The trend of stated values: one row per run. */
export function statedTable(series: SeriesSummary, statistic: string, drawn: SeriesPoint<StatedPoint>[]) {
  const points = drawn.map(({ point }) => point);
  const format = formatOf(series.case);
  const interval = [
    { label: "Interval from", csvName: "low_ns", of: ({ low_ns }: StatedPoint) => low_ns },
    { label: "Interval to", csvName: "high_ns", of: ({ high_ns }: StatedPoint) => high_ns },
  ].filter(({ of }) => points.some((point) => of(point) !== null));
  const others = statedTimes(points).map(({ label, of }) => ({
    label,
    csvName: `${label.replace(".", "")}_ns`,
    of,
  }));
  return tableOf(`${fileName(series)}-commits`, () => points.toReversed(), [
    word(
      "Commit",
      "commit_sha",
      ({ commit_sha }) => commit_sha,
      ({ commit_sha }) => <code>{shortSha(commit_sha)}</code>,
    ),
    num("#", "commit_ordinal", ({ commit_ordinal }) => commit_ordinal),
    word(
      "Imported",
      "measured_at",
      ({ measured_at }) => measured_at,
      ({ measured_at }) => formatMoment(measured_at),
    ),
    num(statistic, "center_ns", ({ center_ns }) => center_ns, format),
    ...[...interval, ...others].map(({ label, csvName, of }) => num(label, csvName, of, format)),
    num("Samples", "count", ({ count }) => count, formatCount, NOT_STATED),
    word(
      "Point",
      "run_id",
      ({ run_id }) => run_id,
      ({ run_id }) => <Link {...toPoint(series.project, series.series_id, run_id)}>pin</Link>,
    ),
  ]);
}

/** The heat map: one row per non-empty bin of a column. */
export function heatTable(series: SeriesSummary, columns: HeatColumn[], steps: number): ChartTable {
  const format = formatOf(series.case);
  const rows = () =>
    columns
      .flatMap(({ x, shares }) =>
        [...shares].map(([bin, share]) => ({ x, bounds: boundsOfBin(bin, steps), share })),
      )
      .toReversed();
  return tableOf(`${fileName(series)}-distributions`, rows, [
    num(
      "Commit",
      "commit_ordinal",
      ({ x }) => x,
      (x) => `#${x}`,
    ),
    num("From", "from_ns", ({ bounds }) => bounds[0], format),
    num("To", "to_ns", ({ bounds }) => bounds[1], format),
    num("Share", "share", ({ share }) => share, formatShare),
  ]);
}

/** The sweep: one row per message size, one column per transport. */
export function sizesTable(
  series: SeriesSummary,
  commitSha: string,
  lines: SweepLine[],
  shown: Shown,
): ChartTable {
  const isRate = shown === "throughput";
  const unit = isRate ? "bytes_per_second" : `latency_ns_${shown}`;
  return tableOf(`${fileName(series)}-sizes-${shortSha(commitSha)}`, () => sizesOf(lines), [
    num("Message size", "message_bytes", (size) => size, formatBytes),
    ...lines.map(({ label, points }) => {
      const at = (size: number) => points.find(({ message_bytes }) => message_bytes === size)?.value ?? null;
      return num(label, `${label}_${unit}`, at, isRate ? formatRate : formatNs);
    }),
  ]);
}
