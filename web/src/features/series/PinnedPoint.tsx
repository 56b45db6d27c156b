/** The pinned point in numbers: commit, percentiles, delivery and repetitions. */
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ChangePoint, CommitSummary, Point, PointDetail, SeriesSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/controls";
import {
  AuthorName,
  CommitName,
  type Fact,
  Facts,
  NotStated,
  QuantityText,
  TimeText,
  ValueText,
} from "@/components/ui/text";
import { changeText, pointWords } from "@/lib/changes";
import { isImported, nsPerOperation } from "@/lib/imports";
import { toComparison, toRun } from "@/lib/paths";
import { acceptedMark, dividedBy, expectedOf, nsPerMessage } from "@/lib/points";
import { isSite } from "@/lib/site";
import { supportedPercentiles } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { formatCount, formatOf, quantityOfRate, upperFirst } from "@/lib/units";
import { type Placed, placementSeen, type SeriesPoint } from "./data";
import type { Before } from "./usePageState";

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  detail: PointDetail | null;
  before: Before;
  earlier: SeriesPoint | null;
  changePoints: ChangePoint[];
  /** The commits after which drifts began. */
  starts: CommitSummary[];
};

export const PinnedPoint = memo(function PinnedPoint(props: Props) {
  const { series, pinned, detail, before, earlier, changePoints, starts } = props;
  const { point, runs } = pinned;
  const each = nsPerMessage(point, series.case);
  const ofOperation = nsPerOperation(point.latency_ns.p50, series.case);
  const stop = before(point.commit_ordinal);
  const stop_p50 = stop?.values.p50;
  const interval = detail?.p50_interval_ns ?? null;
  // After the median: the time per message or operation, its interval, and the change from the previous commit.
  const ofMedian: (Fact | false)[] = [
    each !== null && {
      name: `p50 ${dividedBy(point)}`,
      value: <TimeText plain={point.lossy} isDivided ns={each} />,
    },
    each === null &&
      ofOperation !== null && {
        name: "Per operation",
        value: <TimeText plain isDivided ns={ofOperation} />,
      },
    interval !== null && { name: "95 % CI", value: interval.map(formatOf(series.case)).join(" to ") },
    stop !== null &&
      !!stop_p50 && {
        name: `vs #${stop.ordinal}`,
        value: <span className="muted">{changeText(point.latency_ns.p50 / stop_p50 - 1)}</span>,
      },
  ];
  return (
    <PinnedFrame
      series={series}
      pinned={pinned}
      facts={[
        ...supportedPercentiles(point.count)
          .filter(({ key }) => key !== "p25" && key !== "p75")
          .flatMap(({ key, label }) => [
            {
              name: label,
              value: (
                <ValueText
                  stored={point.latency_ns[key]}
                  of={series.case}
                  plain={key !== "p50" || point.lossy}
                />
              ),
            },
            ...(key === "p50" ? ofMedian : []),
          ]),
        point.bytes_per_second != null && {
          name: "Throughput",
          value: <QuantityText quantity={quantityOfRate(point.bytes_per_second)} />,
        },
        point.accepted !== point.attempted && {
          name: "Accepted",
          value: <span className="warning">{acceptedMark(point)}</span>,
        },
        ...(isImported(series) ? importedFacts(point) : messageFacts(series, point, detail)),
        { name: "Runs", value: formatCount(runs) },
      ]}
      earlier={earlier}
      changes={changePoints.filter(({ commit_ordinal }) => commit_ordinal === point.commit_ordinal)}
      starts={starts}
    />
  );
});

function repetitionsText({ repetition_count, disturbed_count, failure_count }: Point): string {
  const failed = failure_count === 0 ? "" : `, ${formatCount(failure_count)} failed`;
  return `${formatCount(repetition_count)}, ${formatCount(disturbed_count)} disturbed${failed}`;
}

function messageFacts(series: SeriesSummary, point: Point, detail: PointDetail | null): Fact[] {
  return [
    {
      name: "Delivered",
      value: (
        <span className={point.lossy ? "warning" : undefined}>
          {formatCount(point.delivered)} of {formatCount(expectedOf(point, series.case))}
        </span>
      ),
    },
    { name: "Repetitions", value: repetitionsText(point) },
    // Sites have no details of old runs.
    ...(detail === null && isSite()
      ? []
      : [{ name: "Placement", value: detail === null ? "…" : placementSeen(detail, series.case) }]),
  ];
}

/** Imported results have no messages and no placement. */
function importedFacts(point: Point): Fact[] {
  return [
    { name: "Samples", value: formatCount(point.count) },
    { name: "Repetitions", value: formatCount(point.repetition_count) },
    { name: "Placement, delivery", value: <NotStated /> },
  ];
}

/** The first witnesses are the decisive ones. */
const WITNESSES_MAX = 4;

type PinnedFrameProps = {
  series: SeriesSummary;
  pinned: SeriesPoint<Placed>;
  facts: (Fact | false)[];
  earlier?: SeriesPoint | null;
  changes?: ChangePoint[];
  starts?: CommitSummary[];
};

/** The commit of the pinned point, its numbers, and links. */
export function PinnedFrame(props: PinnedFrameProps) {
  const { series, pinned, facts, earlier = null, changes = [], starts = [] } = props;
  const { point, commit } = pinned;
  return (
    <aside aria-label="Pinned point">
      <h2>Pinned: #{point.commit_ordinal}</h2>
      <div className="pin-commit">
        <p>
          <CommitName commit={{ sha: point.commit_sha }} /> {commit?.subject}
        </p>
        {commit !== null && (
          <p className="muted">
            <AuthorName name={commit.author} />, {formatMoment(commit.committed_at)}
          </p>
        )}
        {point.work_tree_modified && <p className="warning">Modified or unbuilt.</p>}
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
          <h2>Change point: {pointWords(change, starts)}</h2>
          <ul>
            {change.witnesses.slice(0, WITNESSES_MAX).map((witness) => (
              <li key={witness}>{upperFirst(witness)}.</li>
            ))}
          </ul>
          {change.witnesses.length > WITNESSES_MAX && (
            <p className="muted">{change.witnesses.length - WITNESSES_MAX} more.</p>
          )}
        </div>
      ))}
    </aside>
  );
}
