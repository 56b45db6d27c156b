/** Changes in series: false alarms and what is found, by machine and class. */
import type { MachineErrorRates } from "@/api/types";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { counted } from "@/lib/units";
import { changeName, type Figure, foundShare, rarity } from "../data";
import { Cell } from "./Cell";
import { Groups } from "./Groups";

type Props = { machines: MachineErrorRates[]; figure: Figure };

export function Changes({ machines, figure }: Props) {
  const [first] = machines.flatMap(({ classes }) => classes);
  const changes = first?.[figure].steps.map(({ change }) => change) ?? [];
  return (
    <>
      <ScrollRegion label="Changes">
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">class</th>
              <th scope="col" className="number">
                told by mistake, points
              </th>
              {changes.map((change) => (
                <th key={change} scope="col" className="number">
                  {changeName(change)} found
                </th>
              ))}
              <th scope="col" className="number">
                series
              </th>
            </tr>
          </thead>
          <Groups machines={machines} columns={3 + changes.length}>
            {({ series_count, [figure]: history }) => (
              <>
                <Cell cell={rarity(history.false_alarms)} />
                {history.steps.map(({ change, found, median_delay_points }) => (
                  <Cell
                    key={change}
                    cell={foundShare(found)}
                    {...(median_delay_points !== null && { more: counted(median_delay_points, "point") })}
                  />
                ))}
                <td className="number">{series_count}</td>
              </>
            )}
          </Groups>
        </table>
      </ScrollRegion>
      <p className="section-note">
        Below each figure its 95 % interval and, where a step is found, how many points it had by then: the
        median. “Cannot tell”: no series of the class has some sixty points of one level.
      </p>
    </>
  );
}
