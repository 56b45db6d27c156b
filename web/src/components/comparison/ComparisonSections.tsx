/** A full comparison: rows with the forest plot, and cases that are not comparable. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { compareQuery, errorRatesQuery, machinesQuery } from "@/api/queries";
import type { Comparison } from "@/api/types";
import { linkToPage } from "@/api/writes";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { CopyButton, optionsOf, SelectField } from "@/components/ui/controls";
import { CommitName } from "@/components/ui/text";
import { useSettled } from "@/lib/hooks";
import { compareCsvHref, toErrorRates, toRun } from "@/lib/paths";
import { oneOf, text } from "@/lib/search";
import { counted, formatCount, upperFirst } from "@/lib/units";
import { confidenceText, countsText } from "./headline";
import { MachineMovements } from "./MachineMovements";
import { markdownOf, pairsTable } from "./markdown";
import { NotComparableCases, PairTable } from "./PairTable";
import { byKind, KIND_NAMES, totalsOf, unbrokenShares } from "./pairs";
import { type ComparisonSearch, type ComparisonSearchChange, KINDS, pairsAsked } from "./search";

type Props = {
  project: string;
  sides: { base: string; head: string; machine?: string };
  comparison: Comparison;
  search: ComparisonSearch;
  onSearch: (change: ComparisonSearchChange) => void;
};

const NAME = "forest";
/** The delay from the last keystroke to the search. */
const SETTLED_MS = 200;

export function ComparisonSections({ project, sides, comparison, search, onSearch }: Props) {
  const { data: machines } = useQuery(machinesQuery(project));
  const { q, verdict } = search;
  // The field updates immediately, the rows after a short wait.
  const words = useSettled(q, SETTLED_MS);
  const { q: _q, ...rest } = search;
  const asked = pairsAsked(words === undefined ? rest : { ...rest, q: words });
  const { data: shown = comparison } = useQuery({
    ...compareQuery(project, { ...sides, ...asked }),
    placeholderData: keepPreviousData,
  });
  const kinds = useMemo(() => byKind(shown.pairs), [shown.pairs]);
  const { compared } = totalsOf(shown.counts);
  const csvHref = compareCsvHref(project, {
    ...sides,
    ...(words === undefined ? {} : { q: words }),
    ...(verdict === undefined ? {} : { kind: verdict }),
  });
  const all = Object.values(shown.counts).reduce((sum, count) => sum + count, 0);
  const offered = KINDS.filter((kind) => shown.counts[kind] > 0 || kind === verdict);
  const names = machines?.map(({ machine }) => machine) ?? [];
  const isNone = verdict === undefined ? compared === 0 : shown.counts[verdict] === 0;
  return (
    <>
      <ChartFrame
        name={NAME}
        title="Changes by case"
        summary="Change in p50, 95 % CI; right = slower; grey: below threshold."
        table={pairsTable(shown.pairs, comparison, csvHref)}
        controls={
          <div className="controls comparison-controls">
            <SelectField
              label="Verdict"
              options={[
                { value: "", label: `All (${formatCount(all)})` },
                ...offered.map((kind) => ({
                  value: kind,
                  label: `${upperFirst(KIND_NAMES[kind])} (${formatCount(shown.counts[kind])})`,
                })),
              ]}
              value={search.verdict ?? ""}
              onChange={(verdict) => onSearch({ verdict: oneOf(KINDS)(verdict), rows: undefined })}
            />
            {(names.length > 1 || search.machine !== undefined) && (
              <SelectField
                label="Machine"
                options={[{ value: "", label: "All" }, ...optionsOf(names)]}
                value={search.machine ?? ""}
                onChange={(machine) =>
                  onSearch({ machine: machine === "" ? undefined : machine, rows: undefined })
                }
              />
            )}
            <label className="field">
              Case
              <input
                type="search"
                placeholder="filter"
                value={search.q ?? ""}
                onChange={({ target }) => onSearch({ q: text(target.value), rows: undefined })}
              />
            </label>
            <CopyButton
              className="button"
              label="Copy as Markdown"
              content={async () => markdownOf(comparison, await linkToPage())}
            />
          </div>
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

function noRows({ counts }: Comparison): string {
  const { compared, all } = totalsOf(counts);
  if (all === 0) return "No results for either side.";
  return compared === 0 ? "No comparable cases; reasons below." : "No matching cases.";
}

/** Machines that moved, the two sides, the number of cases by verdict, and the false-positive rate. */
export function ComparisonLede({ project, comparison }: { project: string; comparison: Comparison }) {
  const { base, head, counts } = comparison;
  const { compared, all } = totalsOf(counts);
  const { data: rates } = useQuery(errorRatesQuery(project));
  const confidence =
    rates === undefined || compared === 0 ? null : confidenceText(rates.total.false_comparisons);
  const apart = head.commit.ordinal - base.commit.ordinal;
  return (
    <>
      <MachineMovements project={project} comparison={comparison} />
      <p className="lede">
        Base <Side project={project} side={base} />, head <Side project={project} side={head} />
        {apart > 0 && `, ${counted(apart, "commit")} later`}
        {apart < 0 && `, ${counted(-apart, "commit")} earlier`}.
      </p>
      {all > 0 && <p className="lede">{countsText(counts)}.</p>}
      {confidence !== null && (
        <p className="lede">
          {unbrokenShares(confidence)} <Link {...toErrorRates(project)}>Details</Link>
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
