/** How many messages are sent a second: what share of a processor they take follows from it. */
import { useEffect, useId, useState } from "react";
import { formatCount } from "@/lib/units";
import { RATE_MAX } from "../search";

type Props = { rate: number | undefined; onChange: (rate: number | undefined) => void };

export function RateField({ rate, onChange }: Props) {
  const id = useId();
  const [typed, setTyped] = useState(String(rate ?? ""));
  useEffect(() => setTyped(String(rate ?? "")), [rate]);
  const isWrong = typed !== "" && !isRate(typed);
  return (
    <label className="field rate">
      Messages a second
      <input
        inputMode="numeric"
        value={typed}
        placeholder="any"
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        onChange={({ target }) => {
          const value = target.value.replaceAll(/[\s,]/g, "");
          setTyped(value);
          if (value === "") onChange(undefined);
          else if (isRate(value)) onChange(Number(value));
        }}
      />
      {isWrong && (
        <span id={id} className="warning" role="alert">
          expected a whole number from 1 to {formatCount(RATE_MAX)}
        </span>
      )}
    </label>
  );
}

function isRate(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number(text) <= RATE_MAX;
}
