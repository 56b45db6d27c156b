/** Delivery counts by receiver: a header and cells for other tables, and a table. */
import type { Delivery } from "@/api/types";
import { ScrollRegion } from "@/components/ui/states";
import { isWhole } from "@/lib/points";
import { formatCount } from "@/lib/units";

type Kind = { key: keyof Delivery; label: string; meaning: string };

const KINDS: Kind[] = [
  { key: "delivered", label: "Delivered", meaning: "received intact, once and in order" },
  { key: "lost", label: "Lost", meaning: "accepted but never received" },
  { key: "duplicated", label: "Duplicated", meaning: "received more than once" },
  {
    key: "out_of_order",
    label: "Out of order",
    meaning: "received after a later message of the same sender",
  },
  { key: "torn", label: "Torn", meaning: "received with content that was never sent" },
];

/** The headers for [`DeliveryCells`]. */
export function DeliveryHeads() {
  return (
    <>
      <th scope="col" className="number">
        Receiver
      </th>
      {KINDS.map(({ key, label, meaning }) => (
        <th key={key} scope="col" className="number" title={meaning}>
          {label}
        </th>
      ))}
    </>
  );
}

/** One receiver, counted from 1. Lost and altered messages are highlighted. */
export function DeliveryCells({ receiver, delivery }: { receiver: number; delivery: Delivery }) {
  return (
    <>
      <th scope="row" className="number">
        {formatCount(receiver)}
      </th>
      {KINDS.map(({ key }) => (
        <td key={key} className={key !== "delivered" && delivery[key] > 0 ? "number warning" : "number"}>
          {formatCount(delivery[key])}
        </td>
      ))}
    </>
  );
}

export function DeliveryTable({ label, deliveries }: { label: string; deliveries: Delivery[] }) {
  return (
    <>
      <ScrollRegion label={label}>
        <table className="table table-dense table-narrow">
          <thead>
            <tr>
              <DeliveryHeads />
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: receivers have no other identity.
              <tr key={index}>
                <DeliveryCells receiver={index + 1} delivery={delivery} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">
        Accepted messages, all repetitions.
        {!deliveries.every(isWhole) && " Torn: content that was never sent."}
      </p>
    </>
  );
}
