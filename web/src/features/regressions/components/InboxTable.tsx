/** Regressions, newest first: how much, where, since which commit, and whose it is. */
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Regression } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toRegression } from "@/lib/paths";
import { changeText, rangeText, STATE_NAMES } from "@/lib/regressions";
import { useNow } from "@/lib/useNow";
import { quietText, whereText } from "../data";

type Props = {
  project: string;
  regressions: Regression[];
  selected: readonly number[];
  current: number | undefined;
  onToggle: (id: number) => void;
  onToggleAll: (isOn: boolean) => void;
};

export function InboxTable({ project, regressions, selected, current, onToggle, onToggleAll }: Props) {
  const now = useNow();
  const row = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row that it refers to is another one then.
  useEffect(() => {
    row.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <ScrollRegion label="Regressions">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label="Select all"
                checked={selected.length === regressions.length}
                onChange={({ target }) => onToggleAll(target.checked)}
              />
            </th>
            <th scope="col" className="number">
              worst
            </th>
            <th scope="col">where</th>
            <th scope="col">which commit</th>
            <th scope="col">cause</th>
            <th scope="col">state</th>
            <th scope="col">who</th>
            <th scope="col">found</th>
          </tr>
        </thead>
        <tbody>
          {regressions.map((regression) => {
            const { regression_id, worst_change, direction } = regression;
            const isCurrent = regression_id === current;
            const quiet = quietText(regression, now);
            return (
              <tr
                key={regression_id}
                {...(isCurrent && { ref: row, "aria-current": true, className: "current" })}
              >
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Select regression ${regression_id}`}
                    checked={selected.includes(regression_id)}
                    onChange={() => onToggle(regression_id)}
                  />
                </td>
                <th scope="row" className="number">
                  <Link {...toRegression(project, regression_id)} className={`change change-${direction}`}>
                    {worst_change === null ? "unknown" : changeText(worst_change)}
                  </Link>
                </th>
                <td>{whereText(regression)}</td>
                <td>{rangeText(regression.after_commit, regression.until_commit)}</td>
                <td>{regression.cause}</td>
                <td>
                  {STATE_NAMES[regression.state]}
                  {quiet !== null && (
                    <span className="muted" title={regression.held_because ?? undefined}>
                      , {quiet}
                    </span>
                  )}
                </td>
                <td>{regression.assignee ?? <span className="muted">nobody</span>}</td>
                <td>
                  <Ago moment={regression.created_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
