/** The machines of a project: canaries, state, last run and queue. */
import { Link } from "@tanstack/react-router";
import type { CanaryReading, MachineSummary } from "@/api/types";
import { RelativeLines } from "@/components/chart/RelativeLines";
import { MachineState } from "@/components/MachineState";
import { RowTable, rowHead } from "@/components/ui/Table";
import { Ago } from "@/components/ui/text";
import { relativeLines } from "@/lib/canaries";
import { type Health, LOST_NOTE } from "@/lib/machines";
import { toMachine } from "@/lib/paths";
import { queueText } from "@/lib/queue";
import { isSite } from "@/lib/site";
import { formatCount } from "@/lib/units";
import type { useFleet } from "@/lib/useFleet";

type Props = {
  project: string;
  machines: MachineSummary[];
} & ReturnType<typeof useFleet>;

export function Machines({ project, machines, readings, healths, queue }: Props) {
  const hasReadings = [...readings.values()].some(({ length }) => length > 0);
  const isQueued = !isSite() && machines.some(({ machine }) => queueText(queue, machine) !== null);
  return (
    <>
      <RowTable
        label="Machines"
        rows={machines}
        keyOf={({ machine }) => machine}
        columns={[
          [rowHead("Machine"), ({ machine }) => <Link {...toMachine(project, machine)}>{machine}</Link>],
          hasReadings && [
            "Canaries",
            ({ machine }) => <Canaries readings={readings.get(machine) ?? []} />,
            "muted",
          ],
          [
            "State",
            ({ machine, lost_run_count }) => <State health={healths.get(machine)} lost={lost_run_count} />,
            "flexible",
          ],
          ["Last run", ({ last_run_at }) => <Ago moment={last_run_at} />],
          isQueued && ["Queue", ({ machine }) => queueText(queue, machine)],
        ]}
      />
      {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
        <p className="section-note">{LOST_NOTE}</p>
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
  return lines.length > 0 && <RelativeLines lines={lines} />;
}
