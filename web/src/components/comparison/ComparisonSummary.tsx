/** A comparison at a glance: verdict, counts, the changed cases as a forest plot, and what would decide the others. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { sessionQuery } from "@/api/queries";
import type { Comparison, ComparisonPair, KindCounts } from "@/api/types";
import { requestJobs } from "@/api/writes";
import { ForestAxis, ForestRow } from "@/components/chart/ForestPlot";
import { forestScale } from "@/components/chart/forest";
import { FormError } from "@/components/form";
import { Button } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { caseName } from "@/lib/cases";
import { useChange } from "@/lib/hooks";
import { toComparison, toJob, toPoint, toQueue } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { counted, formatCount, formatValue, upperFirst } from "@/lib/units";
import { MachineMovements } from "./MachineMovements";
import {
  boundsOf,
  byKind,
  intervalText,
  KIND_NAMES,
  type Kind,
  keyOf,
  machineOf,
  remarksOf,
  signedText,
  totalsOf,
  transportName,
} from "./pairs";
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
          {remedy !== null && !isSite() && <RemedyButton project={project} remedy={remedy} />}
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

/** Slower, faster, and what is not decided; if all is, what did not change. */
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
  const scale = useMemo(() => forestScale(pairs.slice(0, ROWS_MAX).flatMap(estimateOf)), [pairs]);
  if (rows.length === 0) return null;
  const tick = (change: number) => (change === 0 ? "0" : signedText(change).replace(".0 %", " %"));
  const axis = `Change with 95 % CI, from ${tick(-scale.limit)} (faster) to ${tick(scale.limit)} (slower)`;
  return (
    <Section title="Changed cases">
      <RowTable
        label="Changed cases"
        className="table table-dense forest"
        rows={rows}
        keyOf={keyOf}
        columns={[
          [
            numeric("Change"),
            ({ change, kind }) => (
              <span className={LOOKS[kind as Kind]}>{change === null ? "none" : signedText(change)}</span>
            ),
          ],
          [
            numeric("95 % CI"),
            ({ change_interval }) => {
              const interval = boundsOf(change_interval);
              return interval === null ? "none" : intervalText(interval);
            },
            "number muted",
          ],
          [rowHead("Case", "wrap"), (pair) => <CaseCell project={project} pair={pair} />, "wrap"],
          ["Machine", machineOf],
          [
            {
              name: "Axis",
              className: "forest-cell",
              content: <ForestAxis name={axis} scale={scale} label={tick} />,
            },
            (pair) =>
              estimateOf(pair).map((estimate) => (
                <ForestRow key={estimate.change} estimate={estimate} mark={pair.kind as Kind} scale={scale} />
              )),
          ],
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

const LOOKS: Partial<Record<Kind, string>> = {
  slower: "change change-regressed",
  faster: "change change-improved",
};

function estimateOf({ change, change_interval, least_change }: ComparisonPair) {
  return change === null ? [] : [{ change, interval: boundsOf(change_interval), least: least_change }];
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

/** The series at the compared commit. */
function CaseLink({ project, pair }: { project: string; pair: ComparisonPair }) {
  const side = pair.head ?? pair.base;
  const name = (
    <>
      {transportName(pair)} <span className="muted">{caseName(pair.case)}</span>
    </>
  );
  return side === null ? name : <Link {...toPoint(project, side.series_id, side.run_id)}>{name}</Link>;
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
