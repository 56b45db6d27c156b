/** The machines: what they are, whether they stay as they are, when they were last heard of, and what waits for them. */
import { Link } from "@tanstack/react-router";
import type { CanaryReading, Job, MachineSummary, RunDetail } from "@/api/types";
import { RELATIVE_REACH, RelativeLines } from "@/components/chart/RelativeLines";
import { MachineState } from "@/components/MachineState";
import { Table } from "@/components/ui/Table";
import { Ago } from "@/components/ui/text";
import { relativeLines } from "@/lib/canaries";
import { type Health, systemOf } from "@/lib/machines";
import { toMachine } from "@/lib/paths";
import { queueText } from "@/lib/queue";
import { formatCount } from "@/lib/units";

type Props = {
  project: string;
  machines: MachineSummary[];
  details: ReadonlyMap<string, RunDetail[]>;
  readings: ReadonlyMap<string, CanaryReading[]>;
  healths: ReadonlyMap<string, Health>;
  queue: Job[];
};

export function Machines({ project, machines, details, readings, healths, queue }: Props) {
  return (
    <>
      <Table
        label="Machines"
        heads={["machine", "system", "canaries, last 50 runs", "state", "last contact", "queue"]}
      >
        <tbody>
          {machines.map((summary) => {
            const { machine, lost_run_count } = summary;
            const { system, cpu } = systemOf(summary, details.get(machine)?.[0]);
            const health = healths.get(machine);
            return (
              <tr key={machine}>
                <th scope="row">
                  <Link {...toMachine(project, machine)}>{machine}</Link>
                </th>
                <td className="muted">{[system, cpu].join(", ")}</td>
                <td className="muted">
                  <Canaries readings={readings.get(machine) ?? []} />
                </td>
                <td className="flexible">
                  {health !== undefined && <MachineState health={health} />}
                  {lost_run_count > 0 && (
                    <span className="line warning">{formatCount(lost_run_count)} runs lost</span>
                  )}
                </td>
                <td>
                  <Ago moment={summary.last_run_at} />
                </td>
                <td>{queueText(queue, machine) ?? <span className="muted">nothing</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
        <p className="section-note">
          Lost: acknowledged to the agent, and not in the database, as when that was restored from a backup.
        </p>
      )}
      {machines.some(({ suspect_because }) => suspect_because !== null) && (
        <p className="section-note">Nobody is alerted of what is measured on a machine that is suspect.</p>
      )}
      {[...readings.values()].some((entry) => entry.length > 0) && (
        <p className="section-note">
          Canaries measure the machine itself, in every run: when they move, the machine moved, not the
          commit. A line each, within {RELATIVE_REACH * 100} % of its median.
        </p>
      )}
    </>
  );
}

function Canaries({ readings }: { readings: CanaryReading[] }) {
  const lines = relativeLines(readings);
  return lines.length === 0 ? <>none read</> : <RelativeLines lines={lines} />;
}
