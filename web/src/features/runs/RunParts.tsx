/** What pages of measured and of imported runs have in common. */
import type { ReactNode } from "react";
import type { RunSummary } from "@/api/types";
import { CopyLink } from "@/components/ui/controls";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { type Fact, Facts } from "@/components/ui/text";
import { useSearchChange } from "@/lib/hooks";
import { reportHref } from "@/lib/paths";
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
  return (
    <div className="controls section">
      <label className="field">
        {by === "benchmark" ? "Benchmark" : "Transport"}
        <input
          type="search"
          placeholder="part of its name"
          value={value}
          onChange={({ target }) => change({ [by]: target.value || undefined })}
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

export function RunFacts({ run, facts }: { run: RunSummary; facts: (Fact | false)[] }) {
  return (
    <Facts
      facts={[
        { name: "commit", value: <code>{run.commit.sha}</code> },
        { name: "committed", value: formatMoment(run.commit.committed_at) },
        { name: "branch", value: run.branch ?? "none was checked out" },
        run.pull_request !== null && { name: "pull request", value: `#${run.pull_request}` },
        ...facts,
        { name: "run", value: <code>{run.run_id}</code> },
      ]}
    />
  );
}

export function Failures({ failures }: { failures: SortedResults["failures"] }) {
  return (
    <RowTable
      label="Repetitions that failed"
      className="table table-dense"
      rows={failures}
      keyOf={({ transport, caseName, repetition }) => `${transport} ${caseName} ${repetition}`}
      columns={[
        [rowHead("transport"), ({ transport }) => transport],
        ["case", ({ caseName }) => caseName, "muted"],
        [numeric("repetition"), ({ repetition }) => repetition + 1],
        ["reason", ({ reason }) => reason, "wrap"],
      ]}
    />
  );
}
