/** Parts that pages of measured and imported runs share. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/controls";
import { numeric, rowHead, TableSection } from "@/components/ui/Table";
import { type Fact, Facts } from "@/components/ui/text";
import { useSearchChange } from "@/lib/hooks";
import { reportHref, toPullRequest } from "@/lib/paths";
import { formatMoment } from "@/lib/time";
import type { SortedResults } from "./data";
import type { RunSearch } from "./search";

type Props = {
  runId: string;
  by: keyof RunSearch;
  value: string;
  hasReport: boolean;
  children?: ReactNode;
};

export function RunControls({ runId, by, value, hasReport, children }: Props) {
  const change = useSearchChange<RunSearch>();
  const report = hasReport ? reportHref(runId) : null;
  return (
    <div className="controls section">
      <label className="field">
        {by === "benchmark" ? "Benchmark" : "Transport"}
        <input
          type="search"
          placeholder="filter"
          value={value}
          onChange={({ target }) => change({ [by]: target.value || undefined })}
        />
      </label>
      {children}
      {report !== null && (
        <a className="button" href={report} download>
          Download JSON
        </a>
      )}
      <CopyLink className="button" />
    </div>
  );
}

export function RunFacts({ run, facts }: { run: RunSummary; facts: (Fact | false)[] }) {
  return (
    <Facts
      facts={[
        { name: "Commit", value: <code>{run.commit.sha}</code> },
        { name: "Committed", value: formatMoment(run.commit.committed_at) },
        { name: "Branch", value: run.branch ?? "none" },
        run.pull_request !== null && {
          name: "Pull request",
          value: <Link {...toPullRequest(run.project, run.pull_request)}>#{run.pull_request}</Link>,
        },
        ...facts,
        { name: "Run", value: <code>{run.run_id}</code> },
      ]}
    />
  );
}

export function Failures({ failures }: { failures: SortedResults["failures"] }) {
  return (
    <TableSection
      title="Failed repetitions"
      rows={failures}
      keyOf={({ transport, caseName, repetition }) => `${transport} ${caseName} ${repetition}`}
      columns={[
        [rowHead("Transport"), ({ transport }) => transport],
        ["Case", ({ caseName }) => caseName, "muted"],
        [numeric("Repetition"), ({ repetition }) => repetition + 1],
        ["Reason", ({ reason }) => reason, "wrap"],
      ]}
    />
  );
}
