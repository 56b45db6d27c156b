/** Why a commit is slower: findings of the paired comparison, and the time budget before and after. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { budgetQuery } from "@/api/queries";
import type { ChangePoint, Explanation, Finding, Regression } from "@/api/types";
import { BudgetBar, BudgetLegend } from "@/components/BudgetBar";
import { Section } from "@/components/ui/states";
import { CommitName, Quoted, TimeText } from "@/components/ui/text";
import { budgetsOf, elapsedNs, partsIn, stackedNs } from "@/lib/budget";
import { docsHref, toProfile } from "@/lib/paths";
import { changeOfNs } from "@/lib/regressions";
import { mostChangedPart } from "./data";

type Props = { project: string; regression: Regression; change: ChangePoint | undefined };

export function Why({ project, regression, change }: Props) {
  const { explanation, direction, is_time, regression_id } = regression;
  const [worse, better] = is_time ? ["slower", "faster"] : ["worse", "better"];
  return (
    <Section
      title={`Why ${direction === "regressed" ? worse : better}`}
      tools={
        <span className="tools">
          {explanation?.has_profile && <Link {...toProfile(project, regression_id)}>Flame graph</Link>}
          <a href={docsHref("how-to/explain-a-change.md")}>Method</a>
        </span>
      }
    >
      {explanation === null ? (
        <p className="muted">No findings yet.</p>
      ) : (
        <Findings explanation={explanation} />
      )}
      {change !== undefined && is_time && <Budgets change={change} />}
    </Section>
  );
}

function Findings({ explanation }: { explanation: Explanation }) {
  const { base_sha, change_ns, findings, unexplained_ns, notes = [] } = explanation;
  return (
    <>
      <ul className="findings">
        {findings.map((finding) => (
          <li key={finding.text}>
            <span>
              <Quoted text={finding.text} />
            </span>
            <span title={rangeOfNs(finding.explains_range_ns)}>
              {finding.explains_ns != null && changeOfNs(finding.explains_ns)}
            </span>
          </li>
        ))}
        {(findings.length === 0 || unexplained_ns !== 0) && (
          <li className="muted">
            <span>Unexplained</span>
            <span>{changeOfNs(unexplained_ns)}</span>
          </li>
        )}
        <li>
          <span>
            p50, compared with <CommitName commit={{ sha: base_sha }} />
          </span>
          <span>{changeOfNs(change_ns)}</span>
        </li>
      </ul>
      {notes.length > 0 && <p className="section-note">{notes.join(" ")}</p>}
    </>
  );
}

/** The range of an estimate; nothing if both ends look the same. */
function rangeOfNs(ends: Finding["explains_range_ns"]): string | undefined {
  const [low, high] = ends?.map(changeOfNs) ?? [];
  return low === high ? undefined : `${low} to ${high}`;
}

/** Where the time goes before and after: bars of the same scale, and the part that changed the most. */
function Budgets({ change }: { change: ChangePoint }) {
  const { series_id, after_commit_ordinal: from, commit_ordinal: to } = change;
  const { data } = useQuery(budgetQuery([series_id], { from, to }));
  const [columns] = data?.series ?? [];
  const all = columns === undefined ? [] : budgetsOf(columns);
  const [before, after] = [from, to].map((asked) => all.find(({ ordinal }) => ordinal === asked));
  if (before === undefined || after === undefined) return null;
  const longest = Math.max(stackedNs(before), stackedNs(after));
  const most = mostChangedPart(before, after);
  return (
    <div className="budget-pair">
      {[
        { name: "Before", budget: before },
        { name: "After", budget: after },
      ].map(({ name, budget }) => (
        <div key={name}>
          <span className="muted">{name}</span>
          <div style={{ width: `${(100 * stackedNs(budget)) / longest}%` }}>
            <BudgetBar budget={budget} />
          </div>
          <TimeText plain isDivided ns={elapsedNs(budget)} />
        </div>
      ))}
      <BudgetLegend parts={partsIn([before, after])} />
      {most !== null && (
        <p className="section-note">
          Largest part: {most.part.label} {changeOfNs(most.change_ns)}
        </p>
      )}
    </div>
  );
}
