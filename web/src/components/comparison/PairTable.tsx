/** The compared pairs as rows with a forest plot; changed cases first, unchanged ones collapsed. */
import { Link } from "@tanstack/react-router";
import { type ComponentProps, memo, useMemo } from "react";
import type { Comparison, ComparisonPair, KindCounts, MeasuredSide } from "@/api/types";
import { ForestAxis, ForestRow } from "@/components/chart/ForestPlot";
import { type ForestScale, forestScale, scaleTo } from "@/components/chart/forest";
import { RepetitionDots } from "@/components/chart/RepetitionDots";
import { TextButton } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric, Table } from "@/components/ui/Table";
import { caseName } from "@/lib/cases";
import { toPoint, toRun } from "@/lib/paths";
import { counted, formatCount, formatValue, type Valued } from "@/lib/units";
import {
  boundsOf,
  groupsOf,
  intervalText,
  KIND_NAMES,
  KINDS,
  type Kind,
  keyOf,
  lossOf,
  machineOf,
  remarksOf,
  signedText,
  transportName,
} from "./pairs";
import { type ComparisonSearch, type ComparisonSearchChange, isUnfolded, ROWS_MAX } from "./search";

type Props = {
  project: string;
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
  // Keeps its identity while the limit is unchanged, so that rows are not rendered again.
  const scale = useMemo(() => scaleTo(end), [end]);
  return (
    <Table
      label="Changes by case"
      className="table table-dense forest"
      heads={[
        numeric("Change"),
        numeric("95 % CI"),
        "Case",
        "Machine",
        numeric("Base p50"),
        numeric("Head p50"),
        {
          name: "Axis",
          className: "forest-cell",
          content: <ForestAxis name={axisName(scale)} scale={scale} label={tickText} />,
        },
        "Repetitions",
      ]}
    >
      {KINDS.filter((kind) => counts[kind] > 0 && (search.verdict ?? kind) === kind).map((kind) => (
        <tbody key={kind}>
          <tr className="group">
            <th scope="rowgroup" colSpan={COLUMNS}>
              {formatCount(counts[kind])} {KIND_NAMES[kind]}
              {kind === "unchanged" && search.verdict === undefined && search.q === undefined && (
                <RowButton isOpen={isOpen} onClick={() => onSearch({ unchanged: isOpen ? undefined : true })}>
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
                {formatCount(kinds[kind].length)} of {formatCount(counts[kind])} shown
                {kinds[kind].length < ROWS_MAX ? "." : "; all in the CSV."}
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
    </Table>
  );
}

function RowButton({ isOpen, ...rest }: { isOpen?: boolean } & ComponentProps<"button">) {
  return <TextButton className="text-button row-button" aria-expanded={isOpen} {...rest} />;
}

function scaleOf(pairs: ComparisonPair[]): ForestScale {
  return forestScale(
    pairs.flatMap(({ change, change_interval, least_change }) =>
      change === null ? [] : [{ change, interval: boundsOf(change_interval), least: least_change }],
    ),
  );
}

function axisName({ limit }: ForestScale): string {
  return `Change with 95 % CI, from ${tickText(-limit)} (faster) to ${tickText(limit)} (slower)`;
}

function tickText(change: number): string {
  return change === 0 ? "0" : signedText(change).replace(".0 %", " %");
}

type PairRowProps = { project: string; pair: ComparisonPair; kind: Kind; scale: ForestScale };

/** Classes for changed cases; others have none. */
const LOOKS: Partial<Record<Kind, string>> = {
  slower: "change change-regressed",
  faster: "change change-improved",
};

/** Memoised: a comparison has thousands of rows, and typing filters them. */
const PairRow = memo(function PairRow({ project, pair, kind, scale }: PairRowProps) {
  const { base, head, change } = pair;
  const interval = boundsOf(pair.change_interval);
  return (
    <tr>
      <td className="number">
        <span className={LOOKS[kind] ?? "muted"}>{change === null ? "none" : signedText(change)}</span>
      </td>
      <td className="number muted">{interval === null ? "none" : intervalText(interval)}</td>
      <th scope="row" className="wrap">
        <CaseLink project={project} pair={pair} />
        {remarksOf(pair).map((remark) => (
          <span key={remark} className="line sureness">
            {remark}
          </span>
        ))}
      </th>
      <td>{machineOf(pair)}</td>
      <td className="number">
        <SideLink project={project} name="base" side={base} of={pair.case} />
      </td>
      <td className="number">
        <SideLink project={project} name="head" side={head} of={pair.case} />
      </td>
      <td className="forest-cell">
        {change !== null && (
          <ForestRow estimate={{ change, interval, least: pair.least_change }} mark={kind} scale={scale} />
        )}
      </td>
      <td className={`forest-${kind}`}>
        <RepetitionDots
          base={base?.repetitions.p50_ns ?? []}
          head={head?.repetitions.p50_ns ?? []}
          name={`Repetition medians: base ${rangeText(base, pair.case)}; head ${rangeText(head, pair.case)}`}
        />
      </td>
    </tr>
  );
});

function CaseLink({ project, pair }: { project: string; pair: ComparisonPair }) {
  const side = pair.head ?? pair.base;
  const name = (
    <>
      {transportName(pair)} <span className="muted">{caseName(pair.case)}</span>
    </>
  );
  return side === null ? name : <Link {...toPoint(project, side.series_id, side.run_id)}>{name}</Link>;
}

type SideLinkProps = { project: string; name: string; side: MeasuredSide | null; of: Valued };

function SideLink({ project, name, side, of }: SideLinkProps) {
  if (side === null) return <span className="muted">not measured</span>;
  const p50 = formatValue(side.repetition_p50_ns.median, of);
  return (
    <Link {...toRun(project, side.run_id)} aria-label={`${p50}, ${name} run`}>
      {p50}
    </Link>
  );
}

function rangeText(side: MeasuredSide | null, of: Valued): string {
  const times = side?.repetitions.p50_ns ?? [];
  if (times.length === 0) return "none";
  const [low, high] = [Math.min(...times), Math.max(...times)];
  return `${formatValue(low, of)} to ${formatValue(high, of)} (${times.length})`;
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
