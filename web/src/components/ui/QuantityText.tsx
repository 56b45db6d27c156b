/** A number that stands out from its unit. */
import type { Quantity } from "@/lib/units";

type Props = { quantity: Quantity; plain?: boolean };

export function QuantityText({ quantity, plain = false }: Props) {
  return (
    <span className={plain ? "quantity quantity-plain" : "quantity"}>
      {quantity.value} <span>{quantity.unit}</span>
    </span>
  );
}
