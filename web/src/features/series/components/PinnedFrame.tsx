/** The pinned point's commit above its numbers, and where to go from there. */
import { Link } from "@tanstack/react-router";
import type { SeriesSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/CopyLink";
import { type Fact, Facts } from "@/components/ui/Facts";
import { shortSha } from "@/lib/commits";
import { toRun } from "@/lib/paths";
import { formatMoment } from "@/lib/time";
import type { Placed, SeriesPoint } from "../data";

type Props = { series: SeriesSummary; pinned: SeriesPoint<Placed>; facts: Fact[] };

export function PinnedFrame({ series, pinned: { point, commit }, facts }: Props) {
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
        <CopyLink className="button" />
      </div>
    </aside>
  );
}
