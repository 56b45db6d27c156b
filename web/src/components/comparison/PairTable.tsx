/** The compared pairs as rows: what changed first, what did not behind one more step, with a forest plot as a column. */
import { type ReactNode, useMemo } from "react";
import type { ComparisonPair, KindCounts } from "@/api/types";
import { ForestAxis } from "@/components/chart/ForestPlot";
import { type ForestScale, forestScale, scaleTo } from "@/components/chart/forest";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { formatCount } from "@/lib/units";
import { PairRow } from "./PairRow";
import { KIND_NAMES, KINDS, type Kind, keyOf } from "./pairs";
import { type ComparisonSearch, type ComparisonSearchChange, isUnfolded, ROWS_MAX } from "./search";
import { boundsOf, signedText } from "./shares";

type Props = {
  project: string;
  /** The rows that are here, and how many there are. */
  kinds: Record<Kind, ComparisonPair[]>;
  counts: KindCounts;
  search: ComparisonSearch;
  onSearch: (change: ComparisonSearchChange) => void;
};

const COLUMNS = 8;

export function PairTable({ project, kinds, counts, search, onSearch }: Props) {
  const isOpen = isUnfolded(search);
  const isFolded = (kind: Kind) => kind === "unchanged" && !isOpen;
  const shown = KINDS.flatMap((kind) => (isFolded(kind) ? [] : kinds[kind]));
  const { limit: end } = scaleOf(shown.length > 0 ? shown : kinds.unchanged);
  // The same one as long as it ends where it did: rows need not be drawn again.
  const scale = useMemo(() => scaleTo(end), [end]);
  return (
    <ScrollRegion label="Changes by case">
      <table className="table table-dense forest">
        <thead>
          <tr>
            <th scope="col" className="number">
              change
            </th>
            <th scope="col" className="number">
              95 % interval
            </th>
            <th scope="col">case</th>
            <th scope="col">machine</th>
            <th scope="col" className="number">
              base p50
            </th>
            <th scope="col" className="number">
              head p50
            </th>
            <th scope="col" className="forest-cell">
              <ForestAxis name={axisName(scale)} scale={scale} label={tickText} />
            </th>
            <th scope="col">repetitions</th>
          </tr>
        </thead>
        {KINDS.filter((kind) => counts[kind] > 0 && (search.verdict ?? kind) === kind).map((kind) => (
          <tbody key={kind}>
            <tr className="group">
              <th scope="rowgroup" colSpan={COLUMNS}>
                {formatCount(counts[kind])} {KIND_NAMES[kind]}
                {kind === "unchanged" && search.verdict === undefined && search.q === undefined && (
                  <RowButton
                    isOpen={isOpen}
                    onClick={() => onSearch({ unchanged: isOpen ? undefined : true })}
                  >
                    {isOpen ? "Hide" : "Show"}
                  </RowButton>
                )}
              </th>
            </tr>
            {!isFolded(kind) &&
              kinds[kind].map((pair) => (
                <PairRow key={keyOf(pair)} project={project} pair={pair} kind={kind} scale={scale} />
              ))}
            {!isFolded(kind) && counts[kind] > kinds[kind].length && (
              <tr>
                <td colSpan={COLUMNS}>
                  {formatCount(kinds[kind].length)} of {formatCount(counts[kind])} are shown
                  {kinds[kind].length < ROWS_MAX ? "." : "; the CSV has all."}
                  {kinds[kind].length < ROWS_MAX && (
                    <RowButton onClick={() => onSearch({ verdict: kind, rows: ROWS_MAX })}>
                      Show {formatCount(Math.min(ROWS_MAX, counts[kind]) - kinds[kind].length)} more
                    </RowButton>
                  )}
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
    </ScrollRegion>
  );
}

function RowButton({
  isOpen,
  onClick,
  children,
}: {
  isOpen?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="text-button row-button"
      {...(isOpen === undefined ? {} : { "aria-expanded": isOpen })}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

/** One axis for all rows that are shown. */
function scaleOf(pairs: ComparisonPair[]): ForestScale {
  return forestScale(
    pairs.flatMap(({ change, change_interval, least_change }) =>
      change === null ? [] : [{ change, interval: boundsOf(change_interval), least: least_change }],
    ),
  );
}

function axisName({ limit }: ForestScale): string {
  return `Change with its 95 % interval, from ${tickText(-limit)}, faster, to ${tickText(limit)}, slower`;
}

function tickText(change: number): string {
  return change === 0 ? "0" : signedText(change).replace(".0 %", " %");
}
