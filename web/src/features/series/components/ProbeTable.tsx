/** What the probe saw of each end of the pinned point. */
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { formatCount } from "@/lib/units";
import type { ProbeReading } from "../probe";

export function ProbeTable({ readings }: { readings: ProbeReading[] }) {
  return (
    <ScrollRegion label="What the probe saw">
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">end</th>
            <th scope="col" className="number">
              how often
            </th>
            <th scope="col">what</th>
          </tr>
        </thead>
        <tbody>
          {readings.map(({ end, what, count, reason }) => (
            <tr key={`${end} ${what}`}>
              <td className="muted">{end}</td>
              <td className="number">{count === null ? "" : formatCount(count)}</td>
              <th scope="row" className={count === null ? "brief muted" : "brief"}>
                {count === null ? `${what}: ${reason}` : what}
              </th>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
