/** The repetitions that did not finish, with the reason of each. */
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import type { SortedResults } from "../data";

export function Failures({ failures }: { failures: SortedResults["failures"] }) {
  return (
    <ScrollRegion label="Repetitions that failed">
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">transport</th>
            <th scope="col">case</th>
            <th scope="col" className="number">
              repetition
            </th>
            <th scope="col">reason</th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ transport, caseName, repetition, reason }) => (
            <tr key={`${transport} ${caseName} ${repetition}`}>
              <th scope="row">{transport}</th>
              <td className="muted">{caseName}</td>
              <td className="number">{repetition + 1}</td>
              <td className="wrap">{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
