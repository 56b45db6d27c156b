/** A comparison in full, on every page that has one: its rows with the forest plot, and what is not compared. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { shortLink } from "@/api/links";
import { compareQuery, machinesQuery } from "@/api/queries";
import type { Comparison } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { compareCsvHref } from "@/lib/paths";
import { useSettled } from "@/lib/useSettled";
import { Filters } from "./Filters";
import { markdownOf } from "./markdown";
import { NotComparableCases } from "./NotComparableCases";
import { PairTable } from "./PairTable";
import { byKind, totalsOf } from "./pairs";
import { type ComparisonSearch, type ComparisonSearchChange, pairsAsked } from "./search";
import { tableOf } from "./table";

type Props = {
  project: string;
  /** What is compared. */
  sides: { base: string; head: string; machine?: string };
  comparison: Comparison;
  search: ComparisonSearch;
  onSearch: (change: ComparisonSearchChange) => void;
};

const NAME = "forest";
/** How long after the last letter the server is asked. */
const SETTLED_MS = 200;

export function ComparisonSections({ project, sides, comparison, search, onSearch }: Props) {
  const { data: machines } = useQuery(machinesQuery(project));
  const { q, verdict } = search;
  // Whoever types sees the letters at once, and the rows as soon as they are there.
  const words = useSettled(q, SETTLED_MS);
  const { q: _q, ...rest } = search;
  const asked = pairsAsked(words === undefined ? rest : { ...rest, q: words });
  const { data: shown = comparison } = useQuery({
    ...compareQuery(project, { ...sides, ...asked }),
    placeholderData: keepPreviousData,
  });
  const kinds = byKind(shown.pairs);
  const { compared } = totalsOf(shown.counts);
  const csvHref = compareCsvHref(project, {
    ...sides,
    ...(words === undefined ? {} : { q: words }),
    ...(verdict === undefined ? {} : { kind: verdict }),
  });
  const isNone = verdict === undefined ? compared === 0 : shown.counts[verdict] === 0;
  return (
    <>
      <ChartFrame
        name={NAME}
        title="Changes by case"
        summary="By how much repetitions take longer in the head: right of zero is slower. The bar is the 95 % interval; within the grey band no change counts as one. Dots are the repetitions’ medians, the base above the head."
        table={tableOf(shown.pairs, comparison, csvHref)}
        controls={
          <Filters
            counts={shown.counts}
            machines={machines?.machines.map(({ machine }) => machine) ?? []}
            search={search}
            onSearch={onSearch}
            markdown={async () => markdownOf(comparison, await shortLink())}
          />
        }
      >
        {isNone ? (
          <p>{noRows(comparison)}</p>
        ) : (
          <PairTable
            project={project}
            kinds={kinds}
            counts={shown.counts}
            search={search}
            onSearch={onSearch}
          />
        )}
      </ChartFrame>
      <NotComparableCases project={project} comparison={verdict === undefined ? shown : comparison} />
    </>
  );
}

/** Why there is no row. */
function noRows({ counts }: Comparison): string {
  const { compared, all } = totalsOf(counts);
  if (all === 0) return "Neither side was measured there.";
  return compared === 0 ? "No case can be compared; the reasons are below." : "No compared case matches.";
}
