/** Delivery counts by receiver. */
import type { ReactNode } from "react";
import type { Delivery } from "@/api/types";
import { numeric, Table } from "@/components/ui/Table";
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

/** The receivers of a result. */
type Group = {
  key: number;
  deliveries: Delivery[];
  /** The cells before the receivers, which span all rows. */
  lead?: (rows: number) => ReactNode;
};

type Props = { label: string; heads?: string[]; groups: Group[] };

/** Each receiver, counted from 1. Lost and altered messages are highlighted. */
export function DeliveryTable({ label, heads = [], groups }: Props) {
  const counts = KINDS.map(({ label: name, meaning }) => ({ name, className: "number", title: meaning }));
  return (
    <>
      <Table
        label={label}
        className={heads.length === 0 ? "table table-dense table-narrow" : "table table-dense"}
        heads={[...heads, numeric("Receiver"), ...counts]}
      >
        {groups.map(({ key, deliveries, lead }) => (
          <tbody key={key}>
            {deliveries.map((delivery, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: receivers have no other identity.
              <tr key={index}>
                {index === 0 && lead?.(deliveries.length)}
                <th scope="row" className="number">
                  {formatCount(index + 1)}
                </th>
                {KINDS.map(({ key: kind }) => (
                  <td
                    key={kind}
                    className={kind !== "delivered" && delivery[kind] > 0 ? "number warning" : "number"}
                  >
                    {formatCount(delivery[kind])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </Table>
      <p className="section-note">
        Accepted messages, all repetitions.
        {!groups.every(({ deliveries }) => deliveries.every(isWhole)) &&
          " Torn: content that was never sent."}
      </p>
    </>
  );
}
