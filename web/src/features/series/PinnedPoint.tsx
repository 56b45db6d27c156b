/** The pinned point in numbers: the commit, every percentile, and what they rest on. */
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ChangePoint, Point, PointDetail, SeriesSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/controls";
import { type Fact, Facts, NotTold, QuantityText } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { isImported, nsPerOperation } from "@/lib/imports";
import { toComparison, toRun } from "@/lib/paths";
import { acceptedMark, dividedBy, expectedOf, nsPerMessage } from "@/lib/points";
import { changeText } from "@/lib/regressions";
import { formatMoment } from "@/lib/time";
import {
  counted,
  formatCount,
  formatNs,
  quantityOfDividedNs,
  quantityOfNs,
  quantityOfRate,
  upperFirst,
} from "@/lib/units";
import { type Placed, placementSeen, type SeriesPoint, toldPercentiles } from "./data";
import type { Before } from "./usePageState";

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  detail: PointDetail | null;
  before: Before;
  earlier: SeriesPoint | null;
  changePoints: ChangePoint[];
};

export const PinnedPoint = memo(function PinnedPoint(props: Props) {
  const { series, pinned, detail, before, earlier, changePoints } = props;
  const { point, runs } = pinned;
  const each = nsPerMessage(point, series.case);
  const ofOperation = nsPerOperation(point.latency_ns.p50, series.case);
  const stop = before(point.commit_ordinal);
  const stop_p50 = stop?.values.p50;
  const interval = detail?.p50_interval_ns ?? null;
  // After the median: the time of one message or operation, the interval, the change since the commit before.
  const ofMedian: (Fact | false)[] = [
    each !== null && {
      name: `p50 ${dividedBy(point)}`,
      value: <QuantityText plain={point.lossy} quantity={quantityOfDividedNs(each)} />,
    },
    each === null &&
      ofOperation !== null && {
        name: "an operation",
        value: <QuantityText plain quantity={quantityOfDividedNs(ofOperation)} />,
      },
    interval !== null && { name: "95 % interval", value: interval.map(formatNs).join(" to ") },
    stop !== null &&
      !!stop_p50 && {
        name: `since #${stop.ordinal}`,
        value: <span className="muted">{changeText(point.latency_ns.p50 / stop_p50 - 1)}</span>,
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
            ...(key === "p50" ? ofMedian : []),
          ]),
        point.bytes_per_second != null && {
          name: "throughput",
          value: <QuantityText quantity={quantityOfRate(point.bytes_per_second)} />,
        },
        point.accepted !== point.attempted && {
          name: "accepted",
          value: <span className="warning">{acceptedMark(point)}</span>,
        },
        ...(isImported(series) ? importedFacts(point) : messageFacts(series, point, detail)),
        { name: "runs", value: `${formatCount(runs)} of this commit` },
      ]}
      earlier={earlier}
      changes={changePoints.filter(({ commit_ordinal }) => commit_ordinal === point.commit_ordinal)}
    />
  );
});

function repetitionsText({ repetition_count, disturbed_count, failure_count }: Point): string {
  const disturbed = disturbed_count === 0 ? "none disturbed" : `${formatCount(disturbed_count)} disturbed`;
  const failed = failure_count === 0 ? "" : `, ${counted(failure_count, "failure")}`;
  return `${formatCount(repetition_count)}, ${disturbed}${failed}`;
}

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
  return [
    { name: "samples", value: formatCount(point.count) },
    { name: "repetitions", value: formatCount(point.repetition_count) },
    { name: "ends, messages", value: <NotTold /> },
  ];
}

/** The first ones say what decides. */
const WITNESSES_MAX = 4;

type PinnedFrameProps = {
  series: SeriesSummary;
  pinned: SeriesPoint<Placed>;
  facts: (Fact | false)[];
  earlier?: SeriesPoint | null;
  changes?: ChangePoint[];
};

/** The pinned point's commit above its numbers, and where to go from there. */
export function PinnedFrame({ series, pinned, facts, earlier = null, changes = [] }: PinnedFrameProps) {
  const { point, commit } = pinned;
  return (
    <aside aria-label="Pinned point">
      <h2>Pinned: #{point.commit_ordinal}</h2>
      <div className="pin-commit">
        <p>
          <code title={point.commit_sha}>{shortSha(point.commit_sha)}</code> {commit?.subject}
        </p>
        {commit !== null && (
          <p className="muted">
            {commit.author}, {formatMoment(commit.committed_at)}
          </p>
        )}
        {point.work_tree_modified && <p className="warning">Measured with a modified work tree.</p>}
      </div>
      <Facts facts={facts} />
      <div className="pin-links">
        <Link {...toRun(series.project, point.run_id)} className="button">
          Open run
        </Link>
        {earlier !== null && (
          <Link
            {...toComparison(series.project, earlier.point.commit_sha, point.commit_sha)}
            className="button"
          >
            Compare with #{earlier.point.commit_ordinal}
          </Link>
        )}
        <CopyLink className="button" />
      </div>
      {changes.map((change) => (
        <div key={change.change_point_id} className="pin-change">
          <h2>
            {change.figure} {changeText(change.change)} from here on
          </h2>
          <ul>
            {change.witnesses.slice(0, WITNESSES_MAX).map((witness) => (
              <li key={witness}>{upperFirst(witness)}.</li>
            ))}
          </ul>
          {change.witnesses.length > WITNESSES_MAX && (
            <p className="muted">And {change.witnesses.length - WITNESSES_MAX} more witnesses.</p>
          )}
        </div>
      ))}
    </aside>
  );
}
