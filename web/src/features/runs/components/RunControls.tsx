/** What can be done with a run: its results narrowed by name, its report downloaded, its address shared. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyLink } from "@/components/ui/CopyLink";
import { reportHref } from "@/lib/paths";
import type { RunSearch } from "../search";

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
