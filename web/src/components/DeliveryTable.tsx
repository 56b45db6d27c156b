/** What became of the messages at each receiver: a head and cells that several tables share, and the plain table. */
import type { Delivery } from "@/api/types";
import { ScrollRegion } from "@/components/ui/states";
import { isWhole } from "@/lib/points";
import { formatCount } from "@/lib/units";

type Kind = { key: keyof Delivery; label: string; meaning: string };

const KINDS: Kind[] = [
  {
    key: "delivered",
    label: "delivered",
    meaning: "received intact, once, and in the order of their sender",
  },
  { key: "lost", label: "lost", meaning: "taken by the transport and never received" },
  { key: "duplicated", label: "duplicated", meaning: "received once more" },
  { key: "out_of_order", label: "out of order", meaning: "received after a later one of the same sender" },
  { key: "torn", label: "torn", meaning: "received with another content than any message that was sent" },
];

/** The heads of the columns that [`DeliveryCells`] fills. */
export function DeliveryHeads() {
  return (
    <>
      <th scope="col" className="number">
        receiver
      </th>
      {KINDS.map(({ key, label, meaning }) => (
        <th key={key} scope="col" className="number" title={meaning}>
          {label}
        </th>
      ))}
    </>
  );
}

/** One receiver, counted from 1. What is not as it should be stands out. */
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
              // biome-ignore lint/suspicious/noArrayIndexKey: receivers are told apart by their place alone.
              <tr key={index}>
                <DeliveryCells receiver={index + 1} delivery={delivery} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">
        Of the messages that the transport took, over all repetitions.
        {!deliveries.every(isWhole) && " Torn: with another content than any message that was sent."}
      </p>
    </>
  );
}
