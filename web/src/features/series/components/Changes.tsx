/** Where the series changed its level, why, and where people talk about it: the triangles of the chart in words. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ChangePoint } from "@/api/types";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { Section } from "@/components/ui/Section";
import { shortSha } from "@/lib/commits";
import { toRegression } from "@/lib/paths";
import { changeText } from "@/lib/regressions";
import { formatNs } from "@/lib/units";

type Props = { project: string; changePoints: ChangePoint[] };

const CAUSES = { commit: "the commit", machine: "the machine", unknown: "not known" } as const;

export const Changes = memo(function Changes({ project, changePoints }: Props) {
  if (changePoints.length === 0) return null;
  return (
    <Section title="Changes of the level">
      <ScrollRegion label="Changes of the level">
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">change</th>
              <th scope="col">figure</th>
              <th scope="col">from</th>
              <th scope="col">commit</th>
              <th scope="col">made by</th>
              <th scope="col">part of</th>
            </tr>
          </thead>
          <tbody>
            {changePoints.toReversed().map((change) => (
              <tr key={change.change_point_id}>
                <td className={`change change-${change.direction}`}>{changeText(change.change)}</td>
                <td>{change.figure}</td>
                <td>
                  {formatNs(Math.round(change.before_ns))} to {formatNs(Math.round(change.after_ns))}
                </td>
                <td>
                  #{change.commit_ordinal} <code>{shortSha(change.commit_sha)}</code>
                </td>
                <td className="muted">
                  {change.matters ? CAUSES[change.cause ?? "unknown"] : "too small to be told"}
                </td>
                <td>
                  {change.regression_id === null ? (
                    <span className="muted">none</span>
                  ) : (
                    <Link {...toRegression(project, change.regression_id)}>#{change.regression_id}</Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Section>
  );
});
