/** What is not compared, by the reason why not, and which cases that are. */

import type { Comparison } from "@/api/types";
import { Section } from "@/components/ui/Section";
import { counted, formatCount } from "@/lib/units";
import { groupsOf, lossOf } from "./differences";
import { CaseLink } from "./PairRow";
import { keyOf, machineOf } from "./pairs";

const MACHINES_NAMED_MAX = 4;

export function NotComparableCases({ project, comparison }: { project: string; comparison: Comparison }) {
  const groups = groupsOf(comparison);
  if (groups.length === 0) return null;
  return (
    <Section title="Not comparable">
      <p className="chart-summary">
        What was measured in another way, in another environment, or with loss is not compared; base first,
        then head.
      </p>
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
                    {group.pairs.length > 0 && "and "}
                    {formatCount(group.count - group.pairs.length)} {group.pairs.length > 0 && "more "}that
                    the CSV has
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

/** Where cases were measured; of many machines, how many. */
function machinesText(machines: string[]): string {
  return machines.length > MACHINES_NAMED_MAX ? counted(machines.length, "machine") : machines.join(", ");
}

function Loss({ text }: { text: string | null }) {
  return text === null ? null : <span className="muted">, {text}</span>;
}
