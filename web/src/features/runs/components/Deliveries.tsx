/** The results of which some receiver did not get everything that the transport took. */
import { Link } from "@tanstack/react-router";
import { DeliveryCells, DeliveryHeads } from "@/components/DeliveryTable";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toPoint } from "@/lib/paths";
import type { DeliveryGroup } from "../data";

type Props = { project: string; runId: string; groups: DeliveryGroup[] };

export function Deliveries({ project, runId, groups }: Props) {
  return (
    <>
      <ScrollRegion label="Messages that did not arrive as sent">
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">transport</th>
              <th scope="col">case</th>
              <DeliveryHeads />
            </tr>
          </thead>
          {groups.map(({ series_id, transport, caseName, deliveries }) => (
            <tbody key={series_id}>
              {deliveries.map((delivery, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: receivers are told apart by their place alone.
                <tr key={index}>
                  {index === 0 && (
                    <>
                      <th scope="rowgroup" rowSpan={deliveries.length} className="top">
                        <Link {...toPoint(project, series_id, runId)}>{transport}</Link>
                      </th>
                      <td rowSpan={deliveries.length} className="muted brief top">
                        {caseName}
                      </td>
                    </>
                  )}
                  <DeliveryCells receiver={index + 1} delivery={delivery} />
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </ScrollRegion>
      <p className="section-note">
        Of the messages that the transport took, over all repetitions. Torn: with another content than any
        message that was sent.
      </p>
    </>
  );
}
