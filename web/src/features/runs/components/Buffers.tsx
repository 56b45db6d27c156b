/** The buffers that the system granted, beside those that were asked for. */
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { counted } from "@/lib/units";
import type { BufferGroup } from "../data";

export function Buffers({ groups }: { groups: BufferGroup[] }) {
  return (
    <ScrollRegion label="Buffers">
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">transport</th>
            <th scope="col">asked for</th>
            <th scope="col">granted</th>
            <th scope="col">cases</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ transport, asked, granted, cases }) => (
            <tr key={`${transport} ${asked} ${granted}`}>
              <th scope="row">{transport}</th>
              <td className="muted">{asked}</td>
              <td>{granted}</td>
              <td className="muted" title={cases.join("\n")}>
                {counted(cases.length, "case")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
