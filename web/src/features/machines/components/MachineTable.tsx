/** Every machine: what it is, how it is, when it was last heard of, and what waits for it. */
import { Link } from "@tanstack/react-router";
import type { MachineSummary } from "@/api/types";
import { MachineState } from "@/components/MachineState";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { type Health, systemOf } from "@/lib/machines";
import { toMachine } from "@/lib/paths";
import { queueText, type Waiting } from "@/lib/queue";
import { formatCount } from "@/lib/units";

type Props = {
  project: string;
  machines: MachineSummary[];
  healths: ReadonlyMap<string, Health>;
  queue: Waiting[];
};

export function MachineTable({ project, machines, healths, queue }: Props) {
  return (
    <ScrollRegion label="Machines">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">machine</th>
            <th scope="col">system</th>
            <th scope="col">processor</th>
            <th scope="col">state</th>
            <th scope="col">last contact</th>
            <th scope="col" className="number">
              runs
            </th>
            <th scope="col" className="number">
              lost runs
            </th>
            <th scope="col">queue</th>
          </tr>
        </thead>
        <tbody>
          {machines.map((summary) => {
            const { machine, lost_run_count } = summary;
            const { system, cpu } = systemOf(summary);
            const health = healths.get(machine);
            return (
              <tr key={machine}>
                <th scope="row">
                  <Link {...toMachine(project, machine)}>{machine}</Link>
                </th>
                <td className="muted">{system}</td>
                <td className="muted">{cpu}</td>
                <td className="flexible">{health !== undefined && <MachineState health={health} />}</td>
                <td>
                  <Ago moment={summary.last_run_at} />
                </td>
                <td className="number">{formatCount(summary.run_count)}</td>
                <td className={lost_run_count > 0 ? "number warning" : "number muted"}>
                  {formatCount(lost_run_count)}
                </td>
                <td>{queueText(queue, machine) ?? <span className="muted">nothing</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
