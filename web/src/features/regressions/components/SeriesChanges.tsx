/** The series that changed, the largest change first, each with its levels. */
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { seriesQuery } from "@/api/queries";
import type { ChangePoint } from "@/api/types";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { shortSha } from "@/lib/commits";
import { toSeries } from "@/lib/paths";
import { changeText, seriesText } from "@/lib/regressions";
import { formatCount, quantityOfNs } from "@/lib/units";

/** A regression of hundreds of series is told by its largest ones. */
const SHOWN_MAX = 20;

type Props = { project: string; changes: ChangePoint[] };

export function SeriesChanges({ project, changes }: Props) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? changes : changes.slice(0, SHOWN_MAX);
  const answers = useQueries({ queries: shown.map(({ series_id }) => seriesQuery(series_id)) });
  const left = changes.length - shown.length;
  return (
    <>
      <ScrollRegion label="Series">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">series</th>
              <th scope="col">figure</th>
              <th scope="col" className="number">
                before
              </th>
              <th scope="col" className="number">
                after
              </th>
              <th scope="col" className="number">
                change
              </th>
              <th scope="col">new from</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((change, index) => (
              <tr key={change.change_point_id}>
                <th scope="row" className="name">
                  <Link {...toSeries(project, change.series_id)}>
                    {seriesText(answers[index]?.data, change.series_id)}
                  </Link>
                </th>
                <td className="muted">{change.figure}</td>
                <td className="number">
                  <QuantityText plain quantity={quantityOfNs(Math.round(change.before_ns))} />
                </td>
                <td className="number">
                  <QuantityText plain quantity={quantityOfNs(Math.round(change.after_ns))} />
                </td>
                <td className="number">
                  <span className={`change change-${change.direction}`}>{changeText(change.change)}</span>
                </td>
                <td>
                  <code title={change.commit_sha}>{shortSha(change.commit_sha)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {left > 0 && (
        <p className="section-note">
          <button type="button" className="text-button" onClick={() => setIsAll(true)}>
            {formatCount(left)} more
          </button>
        </p>
      )}
    </>
  );
}
