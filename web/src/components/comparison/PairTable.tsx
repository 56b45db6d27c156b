/** The compared pairs as rows with a forest plot; changed cases first, others collapsed. */
import { Link } from "@tanstack/react-router";
import { type ComponentProps, useCallback, useMemo, useState } from "react";
import type { Comparison, ComparisonPair, KindCounts, MeasuredSide } from "@/api/types";
import { type ForestScale, scaleTo } from "@/components/chart/forest";
import { LazyBeforeAfter } from "@/components/LazyBeforeAfter";
import type { Section as ListSection } from "@/components/series/items";
import { type RowLink, SeriesTable, type ValueColumn } from "@/components/series/SeriesTable";
import { TextButton } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric } from "@/components/ui/Table";
import { caseName } from "@/lib/cases";
import { toPoint, toRun } from "@/lib/paths";
import { withToggled } from "@/lib/search";
import { counted, formatCount, formatValue, type Valued } from "@/lib/units";
import { useRowKeys } from "@/lib/useRowKeys";
import { axisHead, CaseLink, ChangeCell, EstimateCell, intervalCell, scaleOf } from "./cells";
import {
  type ComparedPair,
  describePair,
  groupsOf,
  isCompared,
  KIND_NAMES,
  keyOf,
  lossOf,
  machineOf,
  remarksOf,
  sharedRemarks,
  transportName,
} from "./pairs";
import {
  type ComparisonSearch,
  type ComparisonSearchChange,
  isFoldable,
  isFolded,
  KINDS,
  type Kind,
  ROWS_MAX,
} from "./search";

type Props = {
  project: string;
  kinds: Record<Kind, ComparisonPair[]>;
  counts: KindCounts;
  search: ComparisonSearch;
  onSearch: (change: ComparisonSearchChange) => void;
};

export function PairTable({ project, kinds, counts, search, onSearch }: Props) {
  const rows = useMemo(
    () => KINDS.flatMap((kind) => (isFolded(search, kind) ? [] : kinds[kind].filter(isCompared))),
    [kinds, search],
  );
  const { limit: end } = scaleOf(rows.length > 0 ? rows : kinds.unchanged);
  // Keeps its identity while the limit is unchanged, so that rows are not rendered again.
  const scale = useMemo(() => scaleTo(end), [end]);
  const [open, setOpen] = useState<readonly string[]>([]);
  const columns = useMemo(() => {
    const toggle = (key: string) =>
      setOpen((before) =>
        before.includes(key) ? before.filter((other) => other !== key) : [...before, key],
      );
    return [...columnsOf(project, scale), distributionsColumn(open, toggle)];
  }, [project, scale, open]);
  const link = useCallback(
    ({ head }: ComparedPair, row: RowLink) => (
      <Link {...toPoint(project, head.series_id, head.run_id)} {...row} />
    ),
    [project],
  );
  const shared = useMemo(() => sharedRemarks(rows), [rows]);
  useRowKeys("Rows");
  const sections = KINDS.filter((kind) => counts[kind] > 0 && (search.verdict ?? kind) === kind).map(
    (kind): ListSection<ComparedPair> => ({
      key: kind,
      title: (
        <>
          {formatCount(counts[kind])} {KIND_NAMES[kind]}
          {shared.has(kind) && <span className="muted"> {shared.get(kind)}</span>}
          {isFoldable(search, kind) && (
            <RowButton
              isOpen={!isFolded(search, kind)}
              onClick={() => onSearch({ open: withToggled(search.open, kind) })}
            >
              {isFolded(search, kind) ? "Show" : "Hide"}
            </RowButton>
          )}
        </>
      ),
      rows: rows.filter((pair) => pair.kind === kind),
      more: !isFolded(search, kind) && counts[kind] > kinds[kind].length && (
        <>
          {formatCount(kinds[kind].length)} of {formatCount(counts[kind])} shown
          {kinds[kind].length < ROWS_MAX ? "." : "; all in the CSV."}
          {kinds[kind].length < ROWS_MAX && (
            <RowButton onClick={() => onSearch({ verdict: kind, rows: ROWS_MAX })}>
              Show {formatCount(Math.min(ROWS_MAX, counts[kind]) - kinds[kind].length)} more
            </RowButton>
          )}
        </>
      ),
    }),
  );
  return (
    <SeriesTable
      label="Changes by case"
      className="table table-dense forest"
      rows={rows}
      keyOf={keyOf}
      describe={describePair}
      link={link}
      columns={columns}
      search={search}
      onSearch={onSearch}
      sections={sections}
      sectionName="Verdict"
      below={(pair) => below(pair, shared.get(pair.kind) ?? null, open.includes(keyOf(pair)))}
    />
  );
}

/** Remarks that the section does not have, and the two distributions if the row is open. */
function below(pair: ComparedPair, shared: string | null, isOpen: boolean) {
  const remarks = remarksOf(pair).filter((remark) => remark !== shared);
  if (remarks.length === 0 && !isOpen) return null;
  const { base, head } = pair;
  return (
    <>
      {remarks.length > 0 && <span className="sureness">{remarks.join("; ")}</span>}
      {isOpen && (
        <LazyBeforeAfter
          title={`${transportName(pair)}, ${caseName(pair.case)}`}
          name={`distributions-${head.series_id}`}
          of={{ ...pair, machine: head.machine, methodology: head.methodology }}
          before={{ runId: base.run_id, seriesId: base.series_id, label: "base" }}
          after={{ runId: head.run_id, seriesId: head.series_id, label: "head" }}
        />
      )}
    </>
  );
}

function distributionsColumn(
  open: readonly string[],
  toggle: (key: string) => void,
): ValueColumn<ComparedPair> {
  return {
    key: "details",
    head: "Details",
    cell: (pair, name) => (
      <TextButton
        aria-expanded={open.includes(keyOf(pair))}
        aria-label={`${open.includes(keyOf(pair)) ? "Hide" : "Show"} distributions, ${name}`}
        onClick={() => toggle(keyOf(pair))}
      >
        {open.includes(keyOf(pair)) ? "Hide" : "Show"}
      </TextButton>
    ),
  };
}

function columnsOf(project: string, scale: ForestScale): ValueColumn<ComparedPair>[] {
  const side = (name: "base" | "head"): ValueColumn<ComparedPair> => ({
    key: name,
    head: name === "base" ? { name: "Base p50", className: "number new-line" } : numeric("Head p50"),
    order: (pair) => pair[name].repetition_p50_ns.median,
    cell: (pair) => <SideLink project={project} name={name} side={pair[name]} of={pair.case} />,
  });
  return [
    {
      key: "change",
      head: numeric("Change"),
      isFirst: true,
      order: ({ change }) => change,
      cell: (pair) => <ChangeCell {...pair} />,
    },
    {
      key: "interval",
      head: { name: "95 % CI", className: "number muted" },
      isFirst: true,
      cell: intervalCell,
    },
    side("base"),
    side("head"),
    {
      key: "axis",
      head: axisHead(scale),
      cell: (pair) => <EstimateCell pair={pair} scale={scale} />,
    },
  ];
}

function RowButton({ isOpen, ...rest }: { isOpen?: boolean } & ComponentProps<"button">) {
  return <TextButton className="text-button row-button" aria-expanded={isOpen} {...rest} />;
}

type SideLinkProps = { project: string; name: string; side: MeasuredSide; of: Valued };

function SideLink({ project, name, side, of }: SideLinkProps) {
  const p50 = formatValue(side.repetition_p50_ns.median, of);
  return (
    <Link {...toRun(project, side.run_id)} aria-label={`${p50}, ${name} run`}>
      {p50}
    </Link>
  );
}

const MACHINES_NAMED_MAX = 4;

/** Cases that are not comparable, grouped by reason. */
export function NotComparableCases({ project, comparison }: { project: string; comparison: Comparison }) {
  const groups = groupsOf(comparison);
  if (groups.length === 0) return null;
  return (
    <Section title="Not comparable">
      <p className="chart-summary">Differences, base vs head.</p>
      <ul className="not-compared">
        {groups.map((group) => (
          <li key={group.title}>
            <details>
              <summary>
                <span className="reason-count">{counted(group.count, "case")}</span> {group.title}{" "}
                <span className="muted">on {machinesText(group.machines)}</span>
              </summary>
              <ul className="reason-cases">
                {group.pairs.map((pair) => (
                  <li key={keyOf(pair)}>
                    <CaseLink project={project} pair={pair} /> on {machineOf(pair)}
                    <Loss text={lossOf(pair)} />
                  </li>
                ))}
                {group.count > group.pairs.length && (
                  <li>
                    {formatCount(group.count - group.pairs.length)} {group.pairs.length > 0 && "more "}in the
                    CSV
                  </li>
                )}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function machinesText(machines: string[]): string {
  return machines.length > MACHINES_NAMED_MAX ? counted(machines.length, "machine") : machines.join(", ");
}

function Loss({ text }: { text: string | null }) {
  return text === null ? null : <span className="muted">, {text}</span>;
}
