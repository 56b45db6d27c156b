/** The pinned point in numbers: the commit, every percentile, and what they rest on. */
import { memo } from "react";
import type { ChangePoint, Point, PointDetail, SeriesSummary } from "@/api/types";
import type { Fact } from "@/components/ui/Facts";
import { QuantityText } from "@/components/ui/QuantityText";
import { isImported, NOT_TOLD, nsPerOperation } from "@/lib/imports";
import { acceptedMark, dividedBy, expectedOf, nsPerMessage } from "@/lib/points";
import { changeText } from "@/lib/regressions";
import {
  counted,
  formatCount,
  formatNs,
  quantityOfDividedNs,
  quantityOfNs,
  quantityOfRate,
} from "@/lib/units";
import { placementSeen, type SeriesPoint, toldPercentiles } from "../data";
import type { Before } from "../usePinned";
import { PinnedFrame } from "./PinnedFrame";

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  detail: PointDetail | null;
  before: Before;
  /** The point before. */
  earlier: SeriesPoint | null;
  changePoints: ChangePoint[];
};

export const PinnedPoint = memo(function PinnedPoint({
  series,
  pinned,
  detail,
  before,
  earlier,
  changePoints,
}: Props) {
  const { point, runs } = pinned;
  const each = nsPerMessage(point, series.case);
  const ofOperation = nsPerOperation(point.latency_ns.p50, series.case);
  const divided =
    each === null
      ? operationFacts(ofOperation)
      : [
          {
            name: `p50 ${dividedBy(point)}`,
            value: <QuantityText plain={point.lossy} quantity={quantityOfDividedNs(each)} />,
          },
        ];
  return (
    <PinnedFrame
      series={series}
      pinned={pinned}
      facts={[
        ...toldPercentiles(series.case, point.count)
          .filter(({ key }) => key !== "p25" && key !== "p75")
          .flatMap(({ key, label }) => [
            {
              name: label,
              value: (
                <QuantityText
                  quantity={quantityOfNs(point.latency_ns[key])}
                  plain={key !== "p50" || point.lossy}
                />
              ),
            },
            ...(key === "p50" ? [...divided, ...intervalFacts(detail), ...stepFacts(point, before)] : []),
          ]),
        ...(point.bytes_per_second == null
          ? []
          : [
              {
                name: "throughput",
                value: <QuantityText quantity={quantityOfRate(point.bytes_per_second)} />,
              },
            ]),
        ...(point.accepted === point.attempted
          ? []
          : [{ name: "accepted", value: <span className="warning">{acceptedMark(point)}</span> }]),
        ...(isImported(series) ? importedFacts(point) : messageFacts(series, point, detail)),
        { name: "runs", value: `${formatCount(runs)} of this commit` },
      ]}
      earlier={earlier}
      changes={changePoints.filter(({ commit_ordinal }) => commit_ordinal === point.commit_ordinal)}
    />
  );
});

/** Where the median lies, by how the repetitions' medians lie. */
function intervalFacts(detail: PointDetail | null): Fact[] {
  const interval = detail?.p50_interval_ns ?? null;
  if (interval === null) return [];
  return [{ name: "95 % interval", value: interval.map(formatNs).join(" to ") }];
}

/** One step from the commit before: no verdict, as two points make none. */
function stepFacts({ commit_ordinal, latency_ns }: Point, before: Before): Fact[] {
  const stop = before(commit_ordinal);
  const p50 = stop?.values.p50;
  if (stop === null || p50 === undefined || p50 === 0) return [];
  return [
    {
      name: `since #${stop.ordinal}`,
      value: <span className="muted">{changeText(latency_ns.p50 / p50 - 1)}</span>,
    },
  ];
}

function repetitionsText({ repetition_count, disturbed_count, failure_count }: SeriesPoint["point"]): string {
  const disturbed = disturbed_count === 0 ? "none disturbed" : `${formatCount(disturbed_count)} disturbed`;
  const failed = failure_count === 0 ? "" : `, ${counted(failure_count, "failure")}`;
  return `${formatCount(repetition_count)}, ${disturbed}${failed}`;
}

/** What became of the messages, and where the ends were. */
function messageFacts(series: SeriesSummary, point: Point, detail: PointDetail | null): Fact[] {
  return [
    {
      name: "delivered",
      value: (
        <span className={point.lossy ? "warning" : undefined}>
          {formatCount(point.delivered)} of {formatCount(expectedOf(point, series.case))}
        </span>
      ),
    },
    { name: "repetitions", value: repetitionsText(point) },
    { name: "placement", value: detail === null ? "…" : placementSeen(detail, series.case) },
  ];
}

/** What another tool tells besides times: neither messages nor ends. */
function importedFacts(point: Point): Fact[] {
  const notTold = <span className="muted">{NOT_TOLD}</span>;
  return [
    { name: "samples", value: formatCount(point.count) },
    { name: "repetitions", value: formatCount(point.repetition_count) },
    { name: "ends, messages", value: notTold },
  ];
}

function operationFacts(ns: number | null): Fact[] {
  if (ns === null) return [];
  return [{ name: "an operation", value: <QuantityText plain quantity={quantityOfDividedNs(ns)} /> }];
}
