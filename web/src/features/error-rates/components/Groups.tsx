/** The rows of a table by machine, then class. */
import type { ReactNode } from "react";
import type { ClassErrorRates, MachineErrorRates } from "@/api/types";

type Props = {
  machines: MachineErrorRates[];
  columns: number;
  /** What is said of a machine as a whole. */
  note?: (machine: MachineErrorRates) => string;
  /** The cells of a class behind its name. */
  children: (rates: ClassErrorRates) => ReactNode;
};

export function Groups({ machines, columns, note, children }: Props) {
  return machines.map((machine) => (
    <tbody key={machine.machine}>
      <tr className="group">
        <th scope="rowgroup" colSpan={columns}>
          {machine.machine}
          {note !== undefined && <span className="muted"> {note(machine)}</span>}
        </th>
      </tr>
      {machine.classes.map((rates) => (
        <tr key={`${rates.transport} ${rates.scenario}`}>
          <th scope="row">
            {rates.transport} <span className="muted">{rates.scenario}</span>
          </th>
          {children(rates)}
        </tr>
      ))}
    </tbody>
  ));
}
