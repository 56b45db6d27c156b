/** The pinned point's commit above its numbers, and where to go from there. */
import { Link } from "@tanstack/react-router";
import type { ChangePoint, SeriesSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/CopyLink";
import { type Fact, Facts } from "@/components/ui/Facts";
import { shortSha } from "@/lib/commits";
import { toComparison, toRun } from "@/lib/paths";
import { changeText } from "@/lib/regressions";
import { formatMoment } from "@/lib/time";
import { upperFirst } from "@/lib/units";
import type { Placed, SeriesPoint } from "../data";

/** The first ones say what decides. */
const WITNESSES_MAX = 4;

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint<Placed>;
  facts: Fact[];
  /** What it can be compared with. */
  earlier?: SeriesPoint | null;
  /** The changes that begin here. */
  changes?: ChangePoint[];
};

export function PinnedFrame({
  series,
  pinned: { point, commit },
  facts,
  earlier = null,
  changes = [],
}: Props) {
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
