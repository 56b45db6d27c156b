/** The machines of a project: hardware, canaries, state, last run and queue. */
import { Link } from "@tanstack/react-router";
import type { CanaryReading, MachineSummary, RunDetail } from "@/api/types";
import { RELATIVE_REACH, RelativeLines } from "@/components/chart/RelativeLines";
import { MachineState } from "@/components/MachineState";
import { RowTable, rowHead } from "@/components/ui/Table";
import { Ago } from "@/components/ui/text";
import { CANARY_NOTE, relativeLines } from "@/lib/canaries";
import { type Health, LOST_NOTE, systemOf } from "@/lib/machines";
import { toMachine } from "@/lib/paths";
import { queueText } from "@/lib/queue";
import { isSite } from "@/lib/site";
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
          [rowHead("Machine"), ({ machine }) => <Link {...toMachine(project, machine)}>{machine}</Link>],
          [
            "System",
            (summary) => {
              const { system, cpu } = systemOf(summary, details.get(summary.machine)?.[0]);
              return [system, cpu].join(", ");
            },
            "muted",
          ],
          [
            "Canaries, last 50 runs",
            ({ machine }) => <Canaries readings={readings.get(machine) ?? []} />,
            "muted",
          ],
          [
            "State",
            ({ machine, lost_run_count }) => <State health={healths.get(machine)} lost={lost_run_count} />,
            "flexible",
          ],
          ["Last run", ({ last_run_at }) => <Ago moment={last_run_at} />],
          !isSite() && [
            "Queue",
            ({ machine }) => queueText(queue, machine) ?? <span className="muted">empty</span>,
          ],
        ]}
      />
      {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
        <p className="section-note">{LOST_NOTE}</p>
      )}
      {machines.some(({ suspect_because }) => suspect_because !== null) && (
        <p className="section-note">Suspect machines send no alerts.</p>
      )}
      {[...readings.values()].some((entry) => entry.length > 0) && (
        <p className="section-note">
          {CANARY_NOTE} Scale: median ±{RELATIVE_REACH * 100} %.
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
  return lines.length === 0 ? <>no data</> : <RelativeLines lines={lines} />;
}
