/** The data of each chart as a table and as CSV: everything that was measured, in base units. */
import { Link } from "@tanstack/react-router";
import type { Point, PointDetail, SeriesSummary, StatedPoint } from "@/api/types";
import type { ChartTable } from "@/components/chart/ChartFrame";
import type { HeatColumn } from "@/components/chart/HeatMap";
import type { SweepLine } from "@/components/chart/SweepChart";
import { benchmarkName, parametersKey, parametersOf } from "@/lib/cases";
import { ascending, distinct } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { isImported, NOT_TOLD, quantileName } from "@/lib/imports";
import { lineCsvHref, toPoint, toSeriesAt } from "@/lib/paths";
import { boundsOfBin } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { formatBytes, formatCount, formatNs, formatRate, formatShare } from "@/lib/units";
import { type SeriesPoint, sizesOf } from "./data";
import type { Axis, Shown } from "./search";
import type { Stop, StopLine } from "./stops";

/** A benchmark's name may be longer than a file system takes. */
const FILE_NAME_MAX = 80;

/**
 * The trend: one row a stop with what is drawn of it. Its file is the server's: there, every point is in full, also those
 * that are not drawn.
 */
export function stopsTable(series: SeriesSummary, stops: Stop[], lines: StopLine[], axis: Axis): ChartTable {
  const hasLoss = stops.some(({ mark }) => mark === "lossy");
  const format = lines.some(({ key }) => key === "rate") ? formatRate : formatNs;
  return {
    fileName: `${fileName(series)}-commits`,
    csvHref: lineCsvHref(series.series_id),
    columns: [
      { label: "#", csvName: "commit_ordinal", number: true },
      ...(axis === "time" ? [{ label: "measured", csvName: "measured_at", number: false }] : []),
      ...(hasLoss ? [{ label: "loss", csvName: "lossy", number: false }] : []),
      ...lines.map(({ key, label }) => ({ label, csvName: key, number: true })),
      { label: "pinned", csvName: "pin", number: false },
    ],
    rows: () =>
      stops.toReversed().map(({ x, ordinal, mark, values, runId }) => ({
        key: String(x),
        cells: [
          ordinal,
          ...(axis === "time" ? [formatMoment(new Date(x).toISOString())] : []),
          ...(hasLoss ? [lossCell({ lossy: mark === "lossy" })] : []),
          ...lines.map(({ key }) => {
            const value = values[key];
            return value === undefined ? "" : format(value);
          }),
          <Link
            key="pin"
            {...(runId === null
              ? toSeriesAt(series.project, series.series_id, ordinal)
              : toPoint(series.project, series.series_id, runId))}
          >
            pin
          </Link>,
        ],
        csv: [],
      })),
  };
}

/** The trend of what another tool stated: one row a run, with all that any of them states. */
export function statedTable(
  series: SeriesSummary,
  statistic: string,
  drawn: SeriesPoint<StatedPoint>[],
): ChartTable {
  const quantiles = distinct(drawn.flatMap(({ point }) => point.quantiles.map(({ q_ppm }) => q_ppm)));
  const at = (q_ppm: number) => (point: StatedPoint) =>
    point.quantiles.find((quantile) => quantile.q_ppm === q_ppm)?.ns ?? null;
  const times: { label: string; csvName: string; of: (point: StatedPoint) => number | null }[] = [
    { label: statistic, csvName: "center_ns", of: ({ center_ns }) => center_ns },
    { label: "interval from", csvName: "low_ns", of: ({ low_ns }) => low_ns },
    { label: "to", csvName: "high_ns", of: ({ high_ns }) => high_ns },
    { label: "min", csvName: "min_ns", of: ({ min_ns }) => min_ns },
    ...quantiles.sort(ascending).map((q_ppm) => {
      const name = quantileName(q_ppm);
      return { label: name, csvName: `${name.replace(".", "")}_ns`, of: at(q_ppm) };
    }),
    { label: "max", csvName: "max_ns", of: ({ max_ns }) => max_ns },
  ];
  const told = times.filter(({ of }) => drawn.some(({ point }) => of(point) !== null));
  return {
    fileName: `${fileName(series)}-commits`,
    columns: [
      { label: "commit", csvName: "commit_sha", number: false },
      { label: "#", csvName: "commit_ordinal", number: true },
      { label: "imported", csvName: "measured_at", number: false },
      ...told.map(({ label, csvName }) => ({ label, csvName, number: true })),
      { label: "samples", csvName: "count", number: true },
      { label: "run", csvName: "run_id", number: false },
    ],
    rows: () =>
      drawn.toReversed().map(({ point }) => ({
        key: point.run_id,
        cells: [
          <code key="sha">{shortSha(point.commit_sha)}</code>,
          point.commit_ordinal,
          formatMoment(point.measured_at),
          ...told.map(({ of }) => {
            const ns = of(point);
            return ns === null ? "" : formatNs(ns);
          }),
          point.count === null ? NOT_TOLD : formatCount(point.count),
          <Link key="pin" {...toPoint(series.project, series.series_id, point.run_id)}>
            pin
          </Link>,
        ],
        csv: [
          point.commit_sha,
          point.commit_ordinal,
          point.measured_at,
          ...told.map(({ of }) => of(point)),
          point.count,
          point.run_id,
        ],
      })),
  };
}

/** The distribution: one row a bin that holds anything. */
export function histogramTable(series: SeriesSummary, { point, histogram }: PointDetail): ChartTable {
  return {
    fileName: `${fileName(series)}-histogram`,
    columns: [
      { label: "from", csvName: "from_ns", number: true },
      { label: "to", csvName: "to_ns", number: true },
      { label: isImported(series) ? "samples" : "operations", csvName: "count", number: true },
      { label: "share", csvName: "share", number: true },
    ],
    rows: () =>
      histogram
        .filter(({ count }) => count > 0)
        .map(({ from_ns, to_ns, count }) => ({
          key: String(from_ns),
          cells: [
            formatNs(from_ns),
            formatNs(to_ns),
            formatCount(count),
            formatShare(count / Math.max(1, point.count)),
          ],
          csv: [from_ns, to_ns, count, count / Math.max(1, point.count)],
        })),
  };
}

/** The distributions over commits: one row a bin of a column that holds anything. */
export function heatTable(series: SeriesSummary, columns: HeatColumn[], steps: number): ChartTable {
  return {
    fileName: `${fileName(series)}-distributions`,
    columns: [
      { label: "commit", csvName: "commit_ordinal", number: true },
      { label: "from", csvName: "from_ns", number: true },
      { label: "to", csvName: "to_ns", number: true },
      { label: "share", csvName: "share", number: true },
    ],
    rows: () =>
      columns
        .flatMap(({ x, shares }) => [...shares].map(([bin, share]) => ({ x, bin, share })))
        .toReversed()
        .map(({ x, bin, share }) => {
          const [from_ns, to_ns] = boundsOfBin(bin, steps);
          return {
            key: `${x} ${bin}`,
            cells: [`#${x}`, formatNs(from_ns), formatNs(to_ns), formatShare(share)],
            csv: [x, from_ns, to_ns, share],
          };
        }),
  };
}

/** The sweep: one row a message size, one column a transport. */
export function sizesTable(series: SeriesSummary, lines: SweepLine[], shown: Shown): ChartTable {
  const isRate = shown === "throughput";
  const unit = isRate ? "bytes_per_second" : `latency_ns_${shown}`;
  const format = isRate ? formatRate : formatNs;
  const valueAt = ({ points }: SweepLine, size: number) =>
    points.find(({ message_bytes }) => message_bytes === size)?.value ?? null;
  return {
    fileName: `${fileName(series)}-sizes`,
    columns: [
      { label: "message", csvName: "message_bytes", number: true },
      ...lines.map(({ label }) => ({ label, csvName: `${label}_${unit}`, number: true })),
    ],
    rows: () =>
      sizesOf(lines).map((size) => ({
        key: String(size),
        cells: [
          formatBytes(size),
          ...lines.map((line) => {
            const value = valueAt(line, size);
            return value === null ? "" : format(value);
          }),
        ],
        csv: [size, ...lines.map((line) => valueAt(line, size))],
      })),
  };
}

function lossCell({ lossy }: Pick<Point, "lossy">) {
  if (!lossy) return "none";
  return (
    <span key="loss" className="warning">
      lossy
    </span>
  );
}

function fileName(series: SeriesSummary): string {
  const { machine, transport, case: kase, methodology } = series;
  const benchmark = benchmarkName(kase);
  if (benchmark !== null) {
    const stated = methodology.statistic == null ? [] : [methodology.statistic];
    return [machine, transport.slug, inFileName(benchmark), ...stated].join("-");
  }
  const parameters = parametersKey(parametersOf(kase));
  return [
    machine,
    kase.scenario,
    transport.slug,
    kase.mode,
    kase.placement,
    kase.message_bytes,
    ...(parameters === "" ? [] : [parameters]),
    ...(methodology.probe == null ? [] : [`probe-${methodology.probe}`]),
  ].join("-");
}

/** A name of a benchmark without what file systems do not take. */
function inFileName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, FILE_NAME_MAX);
}
