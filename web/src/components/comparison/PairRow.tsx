/** One pair: what changed by how much, where it is measured, and both sides' repetitions beside each other. */
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ComparisonPair, MeasuredSide } from "@/api/types";
import { ForestRow } from "@/components/chart/ForestPlot";
import type { ForestScale } from "@/components/chart/forest";
import { RepetitionDots } from "@/components/chart/RepetitionDots";
import { caseName } from "@/lib/cases";
import { toPoint, toRun } from "@/lib/paths";
import { formatNs } from "@/lib/units";
import { type Kind, machineOf, remarksOf, transportName } from "./pairs";
import { boundsOf, intervalText, signedText } from "./shares";

type Props = { project: string; pair: ComparisonPair; kind: Kind; scale: ForestScale };

/** The looks of what changed; the others have none. */
const LOOKS: Partial<Record<Kind, string>> = {
  slower: "change change-regressed",
  faster: "change change-improved",
};

/** Drawn again only when it is another one: a comparison has thousands, and they are filtered while somebody types. */
export const PairRow = memo(function PairRow({ project, pair, kind, scale }: Props) {
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
        <SideLink project={project} name="base" side={base} />
      </td>
      <td className="number">
        <SideLink project={project} name="head" side={head} />
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
          name={`Medians of repetitions: base ${rangeText(base)}; head ${rangeText(head)}`}
        />
      </td>
    </tr>
  );
});

/** The case by its name, which leads to its series with the head's point pinned. */
export function CaseLink({ project, pair }: { project: string; pair: ComparisonPair }) {
  const side = pair.head ?? pair.base;
  const name = (
    <>
      {transportName(pair)} <span className="muted">{caseName(pair.case)}</span>
    </>
  );
  return side === null ? name : <Link {...toPoint(project, side.series_id, side.run_id)}>{name}</Link>;
}

/** What a side measured, which leads to its run. */
function SideLink({ project, name, side }: { project: string; name: string; side: MeasuredSide | null }) {
  if (side === null) return <span className="muted">not measured</span>;
  const p50 = formatNs(side.repetition_p50_ns.median);
  return (
    <Link {...toRun(project, side.run_id)} aria-label={`${p50}, the run of the ${name}`}>
      {p50}
    </Link>
  );
}

function rangeText(side: MeasuredSide | null): string {
  const times = side?.repetitions.p50_ns ?? [];
  if (times.length === 0) return "none";
  const [low, high] = [Math.min(...times), Math.max(...times)];
  return `${formatNs(low)} to ${formatNs(high)} (${times.length})`;
}
