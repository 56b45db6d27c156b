/** What is said of machines on more than one page: what they are, and how they are. Pure. */
import type { AgentSummary, CanaryReading, MachineSummary, RunDetail, RunSummary } from "@/api/types";
import { ascending, distinct } from "./collections";
import { isImport } from "./imports";
import { median } from "./statistics";
import { formatSpan } from "./time";

/**
 * A machine's operating system and processor, in a few words, from what its newest run found: of those that were
 * measured, because an import finds nothing.
 */
export function systemOf(
  { os, arch, environment }: MachineSummary,
  measured?: RunDetail,
): { system: string; cpu: string } {
  const { stable } = measured?.environment ?? environment;
  const fact = (key: string) => {
    const value = stable[key];
    return value?.startsWith("not available") === true ? undefined : value;
  };
  const kernel = fact("os.kernel");
  return { system: [osName(os), kernel].filter(Boolean).join(" "), cpu: briefCpu(fact("cpu.model") ?? arch) };
}

/** How a machine is: what the server holds against it, and whether it is still heard of. */
export type Health = {
  suspectBecause: string | null;
  silence: Silence | null;
  /** Whether canaries were read on it, so that a machine without fault can be called steady. */
  isWatched: boolean;
};

/** Nothing is heard of a machine for longer than is usual. */
export type Silence = { since: string; usual_ms: number };

/** How a machine is, from what is known of its newest runs, and of its agent if it has one. */
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
    // One whose agent is heard of is not silent: nobody asked it for anything.
    silence: agent?.is_online === true ? null : silenceOf([...starts, last_run_at], now),
    isWatched: readings.some(({ p50_ns }) => Object.keys(p50_ns).length > 0),
  };
}

export function healthName({ suspectBecause, silence, isWatched }: Health): string {
  const words = [...(suspectBecause === null ? [] : ["suspect"]), ...(silence === null ? [] : ["silent"])];
  if (words.length > 0) return words.join(", ");
  return isWatched ? "steady" : "not suspect";
}

/** Fewer beginnings than this tell no usual interval. */
const STARTS_MIN = 4;
/** So many usual intervals without a run are a silence. */
const INTERVALS_MAX = 3;
/** Runs come in bursts; an agent without new commits measures once an hour. */
const INTERVAL_MIN_MS = 3_600_000;

/** How long it usually is from one run's beginning to the next one's; `null` where too few runs tell. */
export function usualInterval(starts: readonly string[]): number | null {
  const moments = distinct(starts)
    .map((start) => new Date(start).getTime())
    .sort(ascending);
  if (moments.length < STARTS_MIN) return null;
  const usual_ms = median(moments.slice(1).map((moment, index) => moment - (moments[index] ?? moment)));
  return usual_ms === null ? null : Math.max(usual_ms, INTERVAL_MIN_MS);
}

/** Since when a machine is silent: for more than three times its usual interval. `null` while it is not. */
export function silenceOf(starts: readonly string[], now: Date): Silence | null {
  const usual_ms = usualInterval(starts);
  const since = distinct(starts).sort(ascending).at(-1);
  if (usual_ms === null || since === undefined) return null;
  const passed_ms = now.getTime() - new Date(since).getTime();
  return passed_ms > INTERVALS_MAX * usual_ms ? { since, usual_ms } : null;
}

/** What is usual, to follow since when it is silent: `its runs usually begin every 2 h`. */
export function usualText({ usual_ms }: Silence): string {
  return `its runs usually begin every ${formatSpan(usual_ms)}`;
}

/** A processor's name without what only lawyers and catalogues need. */
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
