/** What this machine cannot run, and why: a fact about it, not a gap in the run. */
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { counted } from "@/lib/units";
import type { SortedResults } from "../data";

export function Unsupported({ groups }: { groups: SortedResults["unsupported"] }) {
  return (
    <ScrollRegion label="Not on this system">
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">transport</th>
            <th scope="col">cases</th>
            <th scope="col">reason</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ transport, reason, cases }) => (
            <tr key={`${transport} ${reason}`}>
              <th scope="row">{transport}</th>
              <td className="muted" title={cases.join("\n")}>
                {counted(cases.length, "case")}
              </td>
              <td className="wrap">{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
