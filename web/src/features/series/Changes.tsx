/** The change points of a series, as a table. */
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ChangePoint, CommitSummary, SeriesSummary } from "@/api/types";
import { TableSection } from "@/components/ui/Table";
import { CommitName } from "@/components/ui/text";
import { isFaint, levelsText, markOf, pointWords } from "@/lib/changes";
import { toRegression } from "@/lib/paths";

type Props = { series: SeriesSummary; changePoints: ChangePoint[]; starts: CommitSummary[]; name?: string };

export const Changes = memo(function Changes({ series, changePoints, starts, name }: Props) {
  return (
    <TableSection
      title="Change points"
      rows={changePoints.toReversed()}
      keyOf={({ change_point_id }) => change_point_id}
      columns={[
        [
          "Change",
          (change) => pointWords(change, starts, name),
          (change) => ({
            className: isFaint(markOf(change)) ? "muted" : `change change-${change.direction}`,
          }),
        ],
        ["Level", (change) => levelsText(change, series.case)],
        [
          "Commit",
          ({ kind, after_commit_ordinal, commit_ordinal, commit_sha }) => (
            <>
              {kind === "drift" && `#${after_commit_ordinal} to `}#{commit_ordinal}{" "}
              <CommitName commit={{ sha: commit_sha }} />
            </>
          ),
        ],
        ["Cause", ({ cause }) => cause ?? "unknown", "muted"],
        [
          "Regression",
          ({ regression_id: id }) =>
            id === null ? (
              <span className="muted">none</span>
            ) : (
              <Link {...toRegression(series.project, id)}>#{id}</Link>
            ),
        ],
      ]}
    />
  );
});
