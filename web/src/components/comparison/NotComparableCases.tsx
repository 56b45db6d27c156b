/** What is not compared, by the reason why not, and which cases that are. */

import type { ComparisonPair } from "@/api/types";
import { Section } from "@/components/ui/Section";
import { distinct } from "@/lib/collections";
import { counted } from "@/lib/units";
import { groupsOf, lossOf } from "./differences";
import { CaseLink } from "./PairRow";
import { keyOf, machineOf } from "./pairs";

/** More cases of one reason than this are only counted. */
const CASES_MAX = 500;
const MACHINES_NAMED_MAX = 4;

export function NotComparableCases({ project, pairs }: { project: string; pairs: ComparisonPair[] }) {
  const groups = groupsOf(pairs);
  if (groups.length === 0) return null;
  return (
    <Section title="Not comparable">
      <p className="chart-summary">
        What was measured in another way, in another environment, or with loss is not compared; base first,
        then head.
      </p>
      <ul className="reasons">
        {groups.map((group) => (
          <li key={group.title}>
            <details>
              <summary>
                <span className="reason-count">{counted(group.pairs.length, "case")}</span> {group.title}{" "}
                <span className="muted">on {machinesText(group.pairs)}</span>
              </summary>
              <ul className="reason-cases">
                {group.pairs.slice(0, CASES_MAX).map((pair) => (
                  <li key={keyOf(pair)}>
                    <CaseLink project={project} pair={pair} /> on {machineOf(pair)}
                    <Loss text={lossOf(pair)} />
                  </li>
                ))}
                {group.pairs.length > CASES_MAX && <li>and {group.pairs.length - CASES_MAX} more</li>}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Where cases were measured; of many machines, how many. */
function machinesText(pairs: ComparisonPair[]): string {
  const machines = distinct(pairs.map(machineOf));
  return machines.length > MACHINES_NAMED_MAX ? counted(machines.length, "machine") : machines.join(", ");
}

function Loss({ text }: { text: string | null }) {
  return text === null ? null : <span className="muted">, {text}</span>;
}
