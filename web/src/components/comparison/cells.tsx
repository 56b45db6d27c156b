/** The cells of compared pairs: case, change, interval and forest plot. */
import { Link } from "@tanstack/react-router";
import type { ComparisonPair } from "@/api/types";
import { ForestAxis, ForestRow } from "@/components/chart/ForestPlot";
import { type ForestScale, forestScale } from "@/components/chart/forest";
import type { Head } from "@/components/ui/Table";
import { caseName } from "@/lib/cases";
import { toPoint } from "@/lib/paths";
import { boundsOf, intervalText, signedText, transportName } from "./pairs";

/** Links to the series at the compared commit. */
export function CaseLink({ project, pair }: { project: string; pair: ComparisonPair }) {
  const side = pair.head ?? pair.base;
  const name = (
    <>
      {transportName(pair)} <span className="muted">{caseName(pair.case)}</span>
    </>
  );
  return side === null ? name : <Link {...toPoint(project, side.series_id, side.run_id)}>{name}</Link>;
}

/** Classes for changed cases. */
const LOOKS: Partial<Record<ComparisonPair["kind"], string>> = {
  slower: "change change-regressed",
  faster: "change change-improved",
};

export function ChangeCell({ kind, change }: ComparisonPair) {
  return <span className={LOOKS[kind] ?? "muted"}>{change === null ? "none" : signedText(change)}</span>;
}

export function intervalCell({ change_interval }: ComparisonPair): string {
  const interval = boundsOf(change_interval);
  return interval === null ? "none" : intervalText(interval);
}

export function scaleOf(pairs: readonly ComparisonPair[]): ForestScale {
  return forestScale(pairs.flatMap((pair) => estimateOf(pair) ?? []));
}

export function axisHead(scale: ForestScale): Head {
  const name = `Change with 95 % CI, from ${tickText(-scale.limit)} (faster) to ${tickText(scale.limit)} (slower)`;
  return {
    name: "Axis",
    className: "forest-cell whole",
    content: <ForestAxis name={name} scale={scale} label={tickText} />,
  };
}

export function EstimateCell({ pair, scale }: { pair: ComparisonPair; scale: ForestScale }) {
  const estimate = estimateOf(pair);
  return (
    estimate !== null &&
    pair.kind !== "not-comparable" && <ForestRow estimate={estimate} mark={pair.kind} scale={scale} />
  );
}

function estimateOf({ change, change_interval, least_change }: ComparisonPair) {
  return change === null ? null : { change, interval: boundsOf(change_interval), least: least_change };
}

function tickText(change: number): string {
  return change === 0 ? "0" : signedText(change).replace(".0 %", " %");
}
