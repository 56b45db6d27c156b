/** Comparisons of a commit with itself: false verdicts and what is found, by machine and class. */
import type { MachineErrorRates } from "@/api/types";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { counted, formatCount } from "@/lib/units";
import { changeName, foundShare, rarity } from "../data";
import { Cell } from "./Cell";
import { Groups } from "./Groups";

export function Comparisons({ machines }: { machines: MachineErrorRates[] }) {
  const [first] = machines.flatMap(({ classes }) => classes);
  const changes = first?.comparisons.changes.map(({ change }) => change) ?? [];
  return (
    <>
      <ScrollRegion label="Comparisons">
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">class</th>
              <th scope="col" className="number">
                told by mistake, cases
              </th>
              {changes.map((change) => (
                <th key={change} scope="col" className="number">
                  {changeName(change)} found
                </th>
              ))}
              <th scope="col" className="number">
                cannot tell, cases
              </th>
            </tr>
          </thead>
          <Groups machines={machines} columns={3 + changes.length} note={wholeText}>
            {({ comparisons }) => (
              <>
                <Cell cell={rarity(comparisons.false_verdicts)} />
                {comparisons.changes.map(({ change, found }) => (
                  <Cell key={change} cell={foundShare(found)} />
                ))}
                <td className="number">{formatCount(comparisons.untold_count)}</td>
              </>
            )}
          </Groups>
        </table>
      </ScrollRegion>
      <p className="section-note">
        Half of a run’s repetitions against the other half; found is what a change in one case alone would be.
        A comparison of two commits has all repetitions on either side, and finds more. With fewer than twelve
        repetitions a case cannot tell.
      </p>
    </>
  );
}

/** `1 of 200 comparisons found a change that is not there`. */
function wholeText({ false_comparisons: { count, of_count } }: MachineErrorRates): string {
  if (of_count === 0) return "no run could be compared with itself";
  return `${formatCount(count)} of ${counted(of_count, "comparison")} found a change that is not there`;
}
