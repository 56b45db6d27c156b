/** The health of a machine, with the reason for any problem. */
import { type Health, healthName, usualText } from "@/lib/machines";

export function MachineState({ health }: { health: Health }) {
  const { suspectBecause, silence, isWatched } = health;
  if (suspectBecause === null && silence === null) {
    return <span title={isWatched ? undefined : "No canary readings"}>{healthName(health)}</span>;
  }
  return (
    <>
      {suspectBecause !== null && <span className="line warning">suspect: {suspectBecause}</span>}
      {silence !== null && <span className="line warning">overdue: {usualText(silence)}</span>}
    </>
  );
}
