/** How a machine is, in a few words, with the reason where it is not as it should be. */
import { type Health, healthName, usualText } from "@/lib/machines";

export function MachineState({ health }: { health: Health }) {
  const { suspectBecause, silence, isWatched } = health;
  if (suspectBecause === null && silence === null) {
    return (
      <span
        title={isWatched ? undefined : "No canary was read on it, so that nothing else can be said of it."}
      >
        {healthName(health)}
      </span>
    );
  }
  return (
    <>
      {suspectBecause !== null && <span className="line warning">suspect: {suspectBecause}</span>}
      {silence !== null && <span className="line warning">silent: {usualText(silence)}</span>}
    </>
  );
}
