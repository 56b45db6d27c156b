/** Headline of a project: open regressions with their likely cause, then key numbers. */
import { Link } from "@tanstack/react-router";
import type { ProjectSummary, RunSummary, SeriesSummary } from "@/api/types";
import { Ago, ShortSha } from "@/components/ui/text";
import { isImport } from "@/lib/imports";
import { toErrorRates, toRegression, toRegressions, toRun } from "@/lib/paths";
import { counted } from "@/lib/units";
import { answerOf, type Evidence } from "./answer";
import { importedText } from "./imported";

type Props = {
  summary: ProjectSummary;
  /** The newest measured run, or the newest import if there is none. */
  run: RunSummary;
  evidence: Evidence;
  isMeasured: boolean;
  imported: SeriesSummary[];
};

export function Headline({ summary, run, evidence, isMeasured, imported }: Props) {
  const { project } = summary;
  const { regressions } = evidence;
  return (
    <header>
      <h1>
        {isMeasured || regressions.length > 0 ? (
          <Answer project={project} evidence={evidence} />
        ) : (
          `${importedText(imported)}; no measured runs yet`
        )}
      </h1>
      <p className="lede">
        {counted(summary.series_count, "series", "series")}, {counted(summary.commit_count, "commit")},{" "}
        {counted(summary.machine_count, "machine")}; last {isImport(run) ? "import" : "run"}{" "}
        <Link {...toRun(project, run.run_id)} title={run.commit.subject}>
          <ShortSha sha={run.commit.sha} />
        </Link>
        , <Ago moment={run.finished_at} />. <Link {...toErrorRates(project)}>Error rates</Link>
      </p>
      {!isImport(run) && run.build !== "release" && (
        <p className="lede warning">Newest run: {run.build} build. Do not compare its results.</p>
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
        <ShortSha sha={piece.sha} />
      </Link>
    ),
  );
  return <>{pieces}</>;
}
