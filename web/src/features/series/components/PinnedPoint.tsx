/** The pinned point in numbers: the commit, every percentile, and what they rest on. */
import { Link } from "@tanstack/react-router";
import type { PointDetail, SeriesSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/CopyLink";
import { Facts } from "@/components/ui/Facts";
import { QuantityText } from "@/components/ui/QuantityText";
import { shortSha } from "@/lib/commits";
import { toRun } from "@/lib/paths";
import { acceptedMark, dividedBy, expectedOf, nsPerMessage } from "@/lib/points";
import { PERCENTILES } from "@/lib/statistics";
import { formatMoment } from "@/lib/time";
import { counted, formatCount, quantityOfDividedNs, quantityOfNs, quantityOfRate } from "@/lib/units";
import { placementSeen, type SeriesPoint } from "../data";

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  detail: PointDetail | null;
};

export function PinnedPoint({ series, pinned: { point, commit, runs }, detail }: Props) {
  const each = nsPerMessage(point, series.case);
  const divided =
    each === null
      ? []
      : [
          {
            name: `p50 ${dividedBy(point)}`,
            value: <QuantityText plain={point.lossy} quantity={quantityOfDividedNs(each)} />,
          },
        ];
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
      <Facts
        facts={[
          ...PERCENTILES.filter(({ key }) => key !== "p25" && key !== "p75").flatMap(({ key, label }) => [
            {
              name: label,
              value: (
                <QuantityText
                  quantity={quantityOfNs(point.latency_ns[key])}
                  plain={key !== "p50" || point.lossy}
                />
              ),
            },
            ...(key === "p50" ? divided : []),
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
          { name: "runs", value: `${formatCount(runs)} of this commit` },
        ]}
      />
      <div className="pin-links">
        <Link {...toRun(series.project, point.run_id)} className="button">
          Open run
        </Link>
        <CopyLink className="button" />
      </div>
    </aside>
  );
}

function repetitionsText({ repetition_count, disturbed_count, failure_count }: SeriesPoint["point"]): string {
  const disturbed = disturbed_count === 0 ? "none disturbed" : `${formatCount(disturbed_count)} disturbed`;
  const failed = failure_count === 0 ? "" : `, ${counted(failure_count, "failure")}`;
  return `${formatCount(repetition_count)}, ${disturbed}${failed}`;
}
