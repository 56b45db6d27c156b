/** The machines: what they are, whether they stay as they are, when they were last heard of, and what waits for them. */
import { Link } from "@tanstack/react-router";
import type { CanaryReading, MachineSummary, RunDetail } from "@/api/types";
import { RELATIVE_REACH, RelativeLines } from "@/components/chart/RelativeLines";
import { MachineState } from "@/components/MachineState";
import { RowTable, rowHead } from "@/components/ui/Table";
import { Ago } from "@/components/ui/text";
import { relativeLines } from "@/lib/canaries";
import { type Health, systemOf } from "@/lib/machines";
import { toMachine } from "@/lib/paths";
import { queueText } from "@/lib/queue";
import { formatCount } from "@/lib/units";
import type { useFleet } from "@/lib/useFleet";

type Props = {
  project: string;
  machines: MachineSummary[];
  details: ReadonlyMap<string, RunDetail[]>;
} & ReturnType<typeof useFleet>;

export function Machines({ project, machines, details, readings, healths, queue }: Props) {
  return (
    <>
      <RowTable
        label="Machines"
        rows={machines}
        keyOf={({ machine }) => machine}
        columns={[
          [rowHead("machine"), ({ machine }) => <Link {...toMachine(project, machine)}>{machine}</Link>],
          [
            "system",
            (summary) => {
              const { system, cpu } = systemOf(summary, details.get(summary.machine)?.[0]);
              return [system, cpu].join(", ");
            },
            "muted",
          ],
          [
            "canaries, last 50 runs",
            ({ machine }) => <Canaries readings={readings.get(machine) ?? []} />,
            "muted",
          ],
          [
            "state",
            ({ machine, lost_run_count }) => <State health={healths.get(machine)} lost={lost_run_count} />,
            "flexible",
          ],
          ["last contact", ({ last_run_at }) => <Ago moment={last_run_at} />],
          ["queue", ({ machine }) => queueText(queue, machine) ?? <span className="muted">nothing</span>],
        ]}
      />
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

function State({ health, lost }: { health: Health | undefined; lost: number }) {
  return (
    <>
      {health !== undefined && <MachineState health={health} />}
      {lost > 0 && <span className="line warning">{formatCount(lost)} runs lost</span>}
    </>
  );
}

function Canaries({ readings }: { readings: CanaryReading[] }) {
  const lines = relativeLines(readings);
  return lines.length === 0 ? <>none read</> : <RelativeLines lines={lines} />;
}
