/** Hardware and health of machines. Pure. */
import type { AgentSummary, CanaryReading, MachineSummary, RunSummary } from "@/api/types";
import { ascending, distinct } from "./collections";
import { isImport } from "./imports";
import { median } from "./statistics";
import { formatSpan } from "./time";

/** A machine's operating system and processor, from its newest run that is not an import. */
export function systemOf({ os, arch, environment: { stable } }: MachineSummary): {
  system: string;
  cpu: string;
} {
  const fact = (key: string) => {
    const value = stable[key];
    return value?.startsWith("not available") === true ? undefined : value;
  };
  const kernel = fact("os.kernel");
  return { system: [osName(os), kernel].filter(Boolean).join(" "), cpu: briefCpu(fact("cpu.model") ?? arch) };
}

/** Explains lost runs in tables of machines. */
export const LOST_NOTE =
  "Lost: acknowledged to the agent but missing from the database, for example after a restore.";

/** The health of a machine. */
export type Health = {
  suspectBecause: string | null;
  silence: Silence | null;
  /** Whether it has canary readings: without them it is not called stable. */
  isWatched: boolean;
};

/** No run for longer than usual. */
type Silence = { since: string; usual_ms: number };

/** The health of a machine, from its newest runs and its agent, if it has one. */
export function healthOf(
  { suspect_because, last_run_at }: MachineSummary,
  agent: Pick<AgentSummary, "is_online"> | undefined,
  readings: readonly CanaryReading[],
  runs: readonly RunSummary[],
  now: Date,
): Health {
  const starts = [...readings, ...runs.filter((run) => !isImport(run))].map(({ started_at }) => started_at);
  return {
    suspectBecause: suspect_because,
    // A machine with an online agent is not overdue: it may have no jobs.
    silence: agent?.is_online === true ? null : silenceOf([...starts, last_run_at], now),
    isWatched: readings.some(({ p50_ns }) => Object.keys(p50_ns).length > 0),
  };
}

export function healthName({ suspectBecause, silence, isWatched }: Health): string {
  const words = [...(suspectBecause === null ? [] : ["suspect"]), ...(silence === null ? [] : ["overdue"])];
  if (words.length > 0) return words.join(", ");
  return isWatched ? "stable" : "no known issues";
}

/** The usual interval needs this many starts. */
const STARTS_MIN = 4;
/** A machine is overdue after this many usual intervals without a run. */
const INTERVALS_MAX = 3;
/** Minimum interval, because runs come in bursts; an agent without new commits measures once an hour. */
const INTERVAL_MIN_MS = 3_600_000;

/** The median interval between run starts; `null` with too few runs. */
export function usualInterval(starts: readonly string[]): number | null {
  const moments = distinct(starts)
    .map((start) => new Date(start).getTime())
    .sort(ascending);
  if (moments.length < STARTS_MIN) return null;
  const usual_ms = median(moments.slice(1).map((moment, index) => moment - (moments[index] ?? moment)));
  return usual_ms === null ? null : Math.max(usual_ms, INTERVAL_MIN_MS);
}

/** Since when a machine is overdue, that is for more than three usual intervals; `null` if it is not. */
export function silenceOf(starts: readonly string[], now: Date): Silence | null {
  const usual_ms = usualInterval(starts);
  const since = distinct(starts).sort(ascending).at(-1);
  if (usual_ms === null || since === undefined) return null;
  const passed_ms = now.getTime() - new Date(since).getTime();
  return passed_ms > INTERVALS_MAX * usual_ms ? { since, usual_ms } : null;
}

/** `expected every 2 h` */
export function usualText({ usual_ms }: Silence): string {
  return `expected every ${formatSpan(usual_ms)}`;
}

/** A processor's name without trademarks and clock rates. */
function briefCpu(model: string): string {
  return model
    .replace(/\((R|TM)\)|\bCPU\b|\b(\d+-Core )?Processor\b|@.*$/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
}

export function osName(slug: string): string {
  const names: Record<string, string> = {
    linux: "Linux",
    macos: "macOS",
    windows: "Windows",
    freebsd: "FreeBSD",
  };
  return names[slug] ?? slug;
}
