/** Where a run stands: below the runs of its project, in the places that are given as list items. */
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/controls";
import { numeric, Table } from "@/components/ui/Table";
import { reportHref, toRuns } from "@/lib/paths";
import type { SortedResults } from "./data";
import type { RunSearch } from "./search";

export function RunBreadcrumb({ project, children }: { project: string; children: ReactNode }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="breadcrumb">
        <li>
          <Link {...toRuns(project)}>Runs</Link>
        </li>
        {children}
      </ol>
    </nav>
  );
}

type Props = {
  runId: string;
  /** What the results are narrowed by. */
  by: keyof RunSearch;
  value: string;
  /** Whether there is a report to download. */
  hasReport: boolean;
  /** More to download. */
  children?: ReactNode;
};

/** What can be done with a run: its results narrowed by name, its report downloaded, its address shared. */
export function RunControls({ runId, by, value, hasReport, children }: Props) {
  const navigate = useNavigate({ from: "/$project/runs/$runId" });
  const filter = (text: string) =>
    navigate({ search: text === "" ? {} : { [by]: text }, replace: true, resetScroll: false });
  return (
    <div className="controls section">
      <label className="field">
        {by === "benchmark" ? "Benchmark" : "Transport"}
        <input
          type="search"
          placeholder="part of its name"
          value={value}
          onChange={(event) => filter(event.target.value)}
        />
      </label>
      {children}
      {hasReport && (
        <a className="button" href={reportHref(runId)} download>
          Download JSON
        </a>
      )}
      <CopyLink className="button" />
    </div>
  );
}

/** The repetitions that did not finish, with the reason of each. */
export function Failures({ failures }: { failures: SortedResults["failures"] }) {
  return (
    <Table
      label="Repetitions that failed"
      className="table table-dense"
      heads={["transport", "case", numeric("repetition"), "reason"]}
    >
      <tbody>
        {failures.map(({ transport, caseName, repetition, reason }) => (
          <tr key={`${transport} ${caseName} ${repetition}`}>
            <th scope="row">{transport}</th>
            <td className="muted">{caseName}</td>
            <td className="number">{repetition + 1}</td>
            <td className="wrap">{reason}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Says of a run that nobody vouches for it, before any of its figures. */
export function Quarantined({ run }: { run: RunSummary }) {
  if (!run.quarantined) return null;
  return (
    <p className="lede warning">
      Quarantined: whoever uploaded this run does not vouch for it, as for a pull request of a fork. It is
      never part of the trend.
    </p>
  );
}
