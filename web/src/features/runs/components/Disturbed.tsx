/** Why repetitions are suspect: one line a reason, for all cases together. */
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { counted, formatCount } from "@/lib/units";
import type { DisturbedGroup } from "../data";

export function Disturbed({ groups }: { groups: DisturbedGroup[] }) {
  return (
    <>
      <ScrollRegion label="Disturbed repetitions">
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">reason</th>
              <th scope="col" className="number">
                times
              </th>
              <th scope="col">cases</th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ reason, times, cases }) => (
              <tr key={reason}>
                <td className="wrap">{reason}</td>
                <td className="number">{formatCount(times)}</td>
                <td className="muted" title={cases.join("\n")}>
                  {counted(cases.length, "case")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">
        They are marked and kept. Reasons that differ only in their figures are one line, with the first as
        the example.
      </p>
    </>
  );
}
