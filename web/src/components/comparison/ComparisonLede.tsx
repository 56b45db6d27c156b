/** What a comparison is of, how much of it there is, and how often such verdicts are wrong. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorRatesQuery } from "@/api/queries";
import type { Comparison } from "@/api/types";
import { CommitName } from "@/components/ui/CommitName";
import { toErrorRates, toRun } from "@/lib/paths";
import { counted } from "@/lib/units";
import { confidenceText, countsText } from "./headline";
import { totalsOf } from "./pairs";
import { unbrokenShares } from "./shares";

export function ComparisonLede({ project, comparison }: { project: string; comparison: Comparison }) {
  const { base, head, counts } = comparison;
  const { compared, all } = totalsOf(counts);
  const { data: rates } = useQuery(errorRatesQuery(project));
  const confidence =
    rates === undefined || compared === 0 ? null : confidenceText(rates.total.false_comparisons);
  const apart = head.commit.ordinal - base.commit.ordinal;
  return (
    <>
      <p className="lede">
        Base <Side project={project} side={base} />, head <Side project={project} side={head} />
        {apart > 0 && `, ${counted(apart, "commit")} later`}
        {apart < 0 && `, ${counted(-apart, "commit")} earlier`}.
      </p>
      {all > 0 && <p className="lede">By case and machine: {countsText(counts)}.</p>}
      {confidence !== null && (
        <p className="lede">
          {unbrokenShares(confidence)} <Link {...toErrorRates(project)}>How that was counted</Link>
        </p>
      )}
    </>
  );
}

function Side({ project, side: { commit, run_id } }: { project: string; side: Comparison["base"] }) {
  return (
    <>
      <CommitName commit={commit} /> ‘{commit.subject}’
      {run_id !== null && (
        <>
          {" "}
          (<Link {...toRun(project, run_id)}>one run</Link>)
        </>
      )}
    </>
  );
}
