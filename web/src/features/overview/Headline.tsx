/** Whether anything is worse, and whether the commit or the machine did it: one sentence, and what it rests on. */
import { Link } from "@tanstack/react-router";
import type { ErrorRateList, ProjectSummary, RunSummary, SeriesSummary } from "@/api/types";
import { Ago } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { isImport } from "@/lib/imports";
import { toErrorRates, toRegression, toRegressions, toRun } from "@/lib/paths";
import { counted, formatCount, formatShare } from "@/lib/units";
import { answerOf, type Evidence } from "./answer";
import { importedText, toolsOf } from "./imported";

type Props = {
  summary: ProjectSummary;
  /** The newest run that measured anything; where none did, the newest import. */
  run: RunSummary;
  evidence: Evidence;
  errorRates: ErrorRateList | undefined;
  isMeasured: boolean;
  imported: SeriesSummary[];
};

export function Headline({ summary, run, evidence, errorRates, isMeasured, imported }: Props) {
  const { project } = summary;
  const { regressions } = evidence;
  return (
    <header>
      <h1>
        {isMeasured || regressions.length > 0 ? (
          <Answer project={project} evidence={evidence} />
        ) : (
          `${importedText(imported)} ${toolsOf(imported).benchmarks === 1 ? "was" : "were"} imported; nothing was measured here yet.`
        )}
      </h1>
      <p className="lede">
        {counted(summary.series_count, "series", "series")} over {counted(summary.commit_count, "commit")} on{" "}
        {counted(summary.machine_count, "machine")}
        {isMeasured && imported.length > 0 && `, ${importedText(imported)} among them`};{" "}
        <Link {...toErrorRates(project)}>{wrongText(errorRates)}</Link>; last{" "}
        {isImport(run) ? "imported" : "measured"}{" "}
        <Link {...toRun(project, run.run_id)}>
          <code>{shortSha(run.commit.sha)}</code>
        </Link>{" "}
        ‘{run.commit.subject}’, <Ago moment={run.finished_at} />.
      </p>
      {!isImport(run) && run.build !== "release" && (
        <p className="lede warning">
          The newest run was measured by a {run.build} build: its figures are not for comparison.
        </p>
      )}
    </header>
  );
}

function Answer({ project, evidence }: { project: string; evidence: Evidence }) {
  const [first, ...others] = evidence.regressions;
  const pieces = answerOf(evidence).map((piece) =>
    typeof piece === "string" ? (
      piece
    ) : (
      <Link
        key={piece.sha}
        {...(first !== undefined && others.length === 0
          ? toRegression(project, first.regression_id)
          : toRegressions(project))}
      >
        <code>{shortSha(piece.sha)}</code>
      </Link>
    ),
  );
  return <>{pieces}</>;
}

function wrongText(rates: ErrorRateList | undefined): string {
  const share = rates?.total.comparisons.false_verdicts;
  if (share === undefined || share.share === null) {
    return "how often verdicts are wrong was not counted yet";
  }
  return share.count === 0
    ? `no verdict wrong in ${counted(share.of_count, "no-change comparison")}`
    : `verdicts wrong in ${formatShare(share.share)} of ${formatCount(share.of_count)} no-change comparisons`;
}
