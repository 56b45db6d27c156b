/** A comparison in full, on every page that has one: its rows with the forest plot, and what is not compared. */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo } from "react";
import { shortLink } from "@/api/links";
import { machinesQuery } from "@/api/queries";
import type { Comparison, ComparisonPair } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { Filters } from "./Filters";
import { markdownOf } from "./markdown";
import { NotComparableCases } from "./NotComparableCases";
import { PairTable } from "./PairTable";
import { byKind, KINDS, type Kind, matching, notCompared } from "./pairs";
import type { ComparisonSearch, ComparisonSearchChange } from "./search";
import { tableOf } from "./table";

type Props = {
  project: string;
  comparison: Comparison;
  search: ComparisonSearch;
  onSearch: (change: ComparisonSearchChange) => void;
};

const NAME = "forest";

export function ComparisonSections({ project, comparison, search, onSearch }: Props) {
  const { base, head, pairs } = comparison;
  const { data: machines } = useQuery(machinesQuery(project));
  const { q, verdict } = search;
  // Whoever types sees the letters at once, and the rows as soon as they are there.
  const words = useDeferredValue(q);
  const matched = useMemo(() => matching(pairs, words), [pairs, words]);
  const kinds = useMemo(() => byKind(matched), [matched]);
  const shown = useMemo(() => onlyKind(kinds, verdict), [kinds, verdict]);
  const table = useMemo(() => {
    const rows = [...KINDS.flatMap((kind) => shown[kind])];
    const left = verdict === undefined ? notCompared(matched) : [];
    return tableOf([...rows, ...left], base.commit.sha, head.commit.sha);
  }, [shown, matched, verdict, base, head]);
  const isNone = KINDS.every((kind) => shown[kind].length === 0);
  return (
    <>
      <ChartFrame
        name={NAME}
        title="Changes by case"
        summary="By how much repetitions take longer in the head: right of zero is slower. The bar is the 95 % interval; within the grey band no change counts as one. Dots are the repetitions’ medians, the base above the head."
        table={table}
        hasPicture={false}
        controls={
          <Filters
            counts={countsOf(kinds)}
            machines={machines?.machines.map(({ machine }) => machine) ?? []}
            search={search}
            onSearch={onSearch}
            markdown={async () => markdownOf(comparison, await shortLink())}
          />
        }
      >
        {isNone ? (
          <p>{noRows(pairs)}</p>
        ) : (
          <PairTable project={project} kinds={shown} search={search} onSearch={onSearch} />
        )}
      </ChartFrame>
      <NotComparableCases project={project} pairs={matched} />
    </>
  );
}

/** Why there is no row. */
function noRows(pairs: ComparisonPair[]): string {
  if (pairs.length === 0) return "Neither side was measured there.";
  return notCompared(pairs).length === pairs.length
    ? "No case can be compared; the reasons are below."
    : "No compared case matches.";
}

function onlyKind(kinds: ReturnType<typeof byKind>, only: Kind | undefined): ReturnType<typeof byKind> {
  if (only === undefined) return kinds;
  return { slower: [], faster: [], elsewhere: [], inconclusive: [], unchanged: [], [only]: kinds[only] };
}

function countsOf(kinds: ReturnType<typeof byKind>): Record<Kind, number> {
  const { slower, faster, elsewhere, inconclusive, unchanged } = kinds;
  return {
    slower: slower.length,
    faster: faster.length,
    elsewhere: elsewhere.length,
    inconclusive: inconclusive.length,
    unchanged: unchanged.length,
  };
}
