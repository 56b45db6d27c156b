/** A comparison at a glance: verdict, counts, the changed cases as a forest plot, and the job that decides the others. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sessionQuery } from "@/api/queries";
import type { Comparison, ComparisonPair, KindCounts } from "@/api/types";
import { requestJobs } from "@/api/writes";
import { FormError } from "@/components/form";
import { Button } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { toComparison, toJob, toQueue } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { counted, formatCount, formatValue, upperFirst } from "@/lib/units";
import { axisHead, CaseLink, ChangeCell, EstimateCell, intervalCell, scaleOf } from "./cells";
import { MachineMovements } from "./MachineMovements";
import { byKind, KIND_NAMES, keyOf, machineOf, remarksOf, totalsOf } from "./pairs";
import { conclusionOf, type Remedy, remedyOf } from "./verdict";

type Props = {
  project: string;
  comparison: Comparison;
  pullRequest: number | null;
  /** Other actions, after the one that measures more. */
  children?: ReactNode;
};

export function ComparisonSummary({ project, comparison, pullRequest, children }: Props) {
  const { base, head, counts, pairs } = comparison;
  const { word, look } = conclusionOf(comparison);
  const remedy = remedyOf(comparison, pullRequest);
  const kinds = byKind(pairs);
  const { all } = totalsOf(counts);
  return (
    <>
      <div className="conclusion">
        <strong className={look === "none" ? undefined : `change change-${look}`}>{word}</strong>
        <Counts counts={counts} />
        <div className="controls">
          {remedy !== null && !isSite() && (
            <RemedyButton key={`${base.commit.sha} ${head.commit.sha}`} project={project} remedy={remedy} />
          )}
          <Link {...toComparison(project, base.commit.sha, head.commit.sha)} className="button">
            {all > 0 ? `Compare ${counted(all, "case")}` : "Compare"}
          </Link>
          {children}
        </div>
      </div>
      <MachineMovements project={project} comparison={comparison} />
      <ChangedCases
        project={project}
        pairs={[...kinds.slower, ...kinds.faster, ...kinds.elsewhere]}
        count={counts.slower + counts.faster + counts.elsewhere}
      />
      <InconclusiveCases project={project} pairs={kinds.inconclusive} count={counts.inconclusive} />
    </>
  );
}

/** Slower, faster and inconclusive cases; unchanged ones if none is inconclusive. */
function Counts({ counts }: { counts: KindCounts }) {
  const rest = counts.inconclusive > 0 ? "inconclusive" : "unchanged";
  return (
    <dl className="conclusion-counts">
      {(["slower", "faster", rest] as const).map((kind) => (
        <div key={kind}>
          <dt>{upperFirst(kind)}</dt>
          <dd>{formatCount(counts[kind])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Queues the job, for users who may. */
function RemedyButton({ project, remedy: { label, request } }: { project: string; remedy: Remedy }) {
  const { data: session } = useQuery(sessionQuery);
  const queueing = useChange(() => requestJobs(project, request), ["/api/v1/projects/{project}/jobs"]);
  if (session === undefined || refusal(session, project, "queue") !== null) return null;
  const [job, ...others] = queueing.data?.job_ids ?? [];
  return (
    <>
      {queueing.data === undefined ? (
        <Button disabled={queueing.isPending} onClick={() => queueing.mutate(undefined)}>
          {label}
        </Button>
      ) : (
        <span role="status">
          {job === undefined ? (
            <Link {...toQueue(project)}>Already queued</Link>
          ) : (
            <>
              Queued: <Link {...toJob(project, job)}>job {job}</Link>
              {others.length > 0 && ` and ${others.length} more`}
            </>
          )}
        </span>
      )}
      <FormError error={queueing.error} />
    </>
  );
}

/** The most rows; the compare page has all. */
const ROWS_MAX = 25;

type CasesProps = {
  project: string;
  pairs: readonly ComparisonPair[];
  /** How many there are; the answer may have fewer. */
  count: number;
};

function ChangedCases({ project, pairs, count }: CasesProps) {
  const rows = pairs.slice(0, ROWS_MAX);
  if (rows.length === 0) return null;
  const scale = scaleOf(rows);
  return (
    <Section title="Changed cases">
      <RowTable
        label="Changed cases"
        className="table table-dense forest"
        rows={rows}
        keyOf={keyOf}
        columns={[
          [numeric("Change"), (pair) => <ChangeCell {...pair} />],
          [numeric("95 % CI"), intervalCell, "number muted"],
          [rowHead("Case", "wrap"), (pair) => <CaseCell project={project} pair={pair} />, "wrap"],
          ["Machine", machineOf],
          [axisHead(scale), (pair) => <EstimateCell pair={pair} scale={scale} />],
          [
            numeric("Base p50"),
            ({ base, case: of }) => base && formatValue(base.repetition_p50_ns.median, of),
          ],
          [
            numeric("Head p50"),
            ({ head, case: of }) => head && formatValue(head.repetition_p50_ns.median, of),
          ],
        ]}
      />
      {count > rows.length && (
        <p className="section-note">
          {rows.length} of {formatCount(count)} shown.
        </p>
      )}
    </Section>
  );
}

function CaseCell({ project, pair }: { project: string; pair: ComparisonPair }) {
  return (
    <>
      <CaseLink project={project} pair={pair} />
      {remarksOf(pair).map((remark) => (
        <span key={remark} className="line sureness">
          {remark}
        </span>
      ))}
    </>
  );
}

/** Folded, with the reasons. */
function InconclusiveCases({ project, pairs, count }: CasesProps) {
  if (pairs.length === 0) return null;
  return (
    <details className="section">
      <summary>
        {formatCount(count)} {KIND_NAMES.inconclusive}
      </summary>
      <ul className="reason-cases">
        {pairs.slice(0, ROWS_MAX).map((pair) => (
          <li key={keyOf(pair)}>
            <CaseLink project={project} pair={pair} /> on {machineOf(pair)}
            <span className="line muted">{pair.undecided}</span>
          </li>
        ))}
        {count > ROWS_MAX && <li className="muted">{formatCount(count - ROWS_MAX)} more.</li>}
      </ul>
    </details>
  );
}
