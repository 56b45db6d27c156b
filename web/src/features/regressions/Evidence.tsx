/** The evidence of a regression, in the order of questions: how much, which commit, why, and whether it is real. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { lineQuery, pointsAtQuery, seriesQuery } from "@/api/queries";
import type { ChangePoint, Culprit, Regression, RegressionDetail } from "@/api/types";
import { BeforeAfter } from "@/components/BeforeAfter";
import { pendingClass } from "@/components/LazyBeforeAfter";
import { TextButton } from "@/components/ui/controls";
import { ErrorState, Section, Skeleton } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { AuthorName, CommitName, Sentences } from "@/components/ui/text";
import { changeText, levelsText } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { docsHref, toSeries } from "@/lib/paths";
import { clearest, seriesText } from "@/lib/regressions";
import { counted, shareOfAll, upperFirst } from "@/lib/units";
import { checksOf, runAt, TREND_PX, trendAsked } from "./data";
import { Why } from "./Why";

const StepTrend = lazy(async () => ({ default: (await import("./StepTrend")).StepTrend }));

type Props = { project: string; detail: RegressionDetail };

export function Evidence({ project, detail }: Props) {
  const { regression, change_points, culprits } = detail;
  const [worst] = clearest(change_points, regression.direction);
  return (
    <div className="evidence">
      <div className="evidence-grid">
        {worst !== undefined && <Step project={project} change={worst} />}
        <div className="evidence-side">
          {regression.kind === "drift" ? (
            <DriftRange regression={regression} />
          ) : (
            <SuspectCommits culprits={culprits} />
          )}
          <Why project={project} regression={regression} change={worst} />
          <Checks regression={regression} change={worst} />
        </div>
        {worst !== undefined && <Distributions key={worst.change_point_id} change={worst} />}
      </div>
    </div>
  );
}

/** The series that changed the most, around its change. */
function Step({ project, change }: { project: string; change: ChangePoint }) {
  const { data: series } = useQuery(seriesQuery(change.series_id));
  const { data: chart, error, refetch } = useQuery(lineQuery([change.series_id], trendAsked(change)));
  const [line] = chart?.series ?? [];
  const loading = <Skeleton height={`${TREND_PX}px`} />;
  return (
    <Section title="Largest change">
      <p className="step-figures">
        <span className={`change change-${change.direction} strong`}>{changeText(change.change)}</span>{" "}
        <Link {...toSeries(project, change.series_id)}>{seriesText(series, change.series_id)}</Link>{" "}
        <span className="muted">
          {change.figure}
          {series !== undefined && ` ${levelsText(change, series.case)}`}
        </span>
      </p>
      {error !== null && chart === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />
      ) : series === undefined || line === undefined ? (
        loading
      ) : line.commit_ordinals.length === 0 ? (
        <p className="muted">No points of these commits.</p>
      ) : (
        <Suspense fallback={loading}>
          <StepTrend change={change} series={series} line={line} />
        </Suspense>
      )}
    </Section>
  );
}

/** The distributions of the last run before the change and of the first after it. */
function Distributions({ change }: { change: ChangePoint }) {
  const { series_id, after_commit_ordinal, commit_ordinal, commit_sha } = change;
  const { data: series } = useQuery(seriesQuery(series_id));
  const sides = [
    useQuery(pointsAtQuery(series_id, after_commit_ordinal)),
    useQuery(pointsAtQuery(series_id, commit_ordinal)),
  ];
  const failed = sides.find(({ isError }) => isError);
  const [before, after] = sides.map(({ data }) => data);
  if (before === undefined || after === undefined || series === undefined) {
    return failed?.error == null ? (
      <div className="evidence-distributions">
        <div className={pendingClass(false)} role="status" aria-label="Loading" />
      </div>
    ) : (
      <ErrorState error={failed.error} onRetry={() => void failed.refetch()} heading="h2" />
    );
  }
  const [from, to] = [before, after].map(({ series: [line] }) => runAt(line?.points ?? []));
  if (to == null) return null;
  const sha = before.commits.find(({ ordinal }) => ordinal === after_commit_ordinal)?.sha;
  return (
    <div className="evidence-distributions">
      <BeforeAfter
        title="Before and after"
        name="before-after"
        of={series}
        before={
          from == null
            ? null
            : {
                runId: from,
                seriesId: series_id,
                label: sha === undefined ? `#${after_commit_ordinal}` : shortSha(sha),
              }
        }
        after={{ runId: to, seriesId: series_id, label: shortSha(commit_sha) }}
      />
    </div>
  );
}

function DriftRange({ regression: { after_commit, until_commit } }: { regression: Regression }) {
  return (
    <Section title="Suspect commits">
      <p>
        No single commit: small changes add up between <CommitName commit={after_commit} /> and{" "}
        <CommitName commit={until_commit} />.
      </p>
    </Section>
  );
}

/** More suspects are shown on request. */
const SUSPECTS_MAX = 4;

function SuspectCommits({ culprits }: { culprits: Culprit[] }) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? culprits : culprits.slice(0, SUSPECTS_MAX);
  const left = culprits.length - shown.length;
  return (
    <Section title="Suspect commits">
      {culprits.length === 0 ? (
        <p className="muted">None: the machine is the cause.</p>
      ) : (
        <RowTable
          label="Suspect commits"
          className="table table-dense"
          rows={shown}
          keyOf={({ commit }) => commit.sha}
          columns={[
            [rowHead("Commit"), ({ commit }) => <CommitName commit={commit} />],
            [{ name: "Subject", className: "grow" }, (culprit) => <Subject culprit={culprit} />],
            [numeric("Probability"), ({ probability }) => shareOfAll(probability)],
          ]}
        />
      )}
      {left > 0 && (
        <p className="section-note">
          <TextButton onClick={() => setIsAll(true)}>Show {left} more</TextButton>
        </p>
      )}
    </Section>
  );
}

function Subject({ culprit: { commit, measured, names } }: { culprit: Culprit }) {
  return (
    <>
      <span className="suspect-subject" title={commit.subject}>
        {commit.subject}
      </span>
      <span className="line muted">
        <AuthorName name={commit.author} />
        {!measured && ", not measured yet"}
        {names.length > 0 && (
          <>
            , changes <code>{names.join(", ")}</code>
          </>
        )}
      </span>
    </>
  );
}

const SHAPES = { ok: "full", warning: "alarm", none: "empty" };
const OUTCOMES = { ok: "OK", warning: "Warning", none: "Unknown" };

/** The tests of whether the change is real, a row each. */
function Checks({ regression, change }: { regression: Regression; change: ChangePoint | undefined }) {
  const checks = checksOf(regression, change);
  const details = checks.flatMap((check) => check.details.map(upperFirst));
  return (
    <Section title="Checks" tools={<a href={docsHref("explanation/change-points.md")}>Method</a>}>
      <ul className="checks">
        {checks.map(({ name, outcome, text }) => (
          <li key={name} className={outcome === "warning" ? "warning" : undefined}>
            <span className={`shape shape-${SHAPES[outcome]}`} role="img" aria-label={OUTCOMES[outcome]} />
            <span>{name}</span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {details.length > 0 && (
        <details>
          <summary>{counted(details.length, "reference")}</summary>
          <Sentences of={details} className="plain-list" />
        </details>
      )}
    </Section>
  );
}
