/** Times by number of members, for each scenario. Pure. */
import type { RunDetail, RunResult, SweepChart } from "@/api/types";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { nsPerMessage } from "@/lib/points";
import { linesOf, loadsOf } from "@/lib/sweep";
import { formatDividedNs, formatNs, unbroken } from "@/lib/units";
import { type TimeOf, TOPOLOGIES } from "./search";

/** One transport with one wait method, in one scenario. */
export type TopologyLine = ReturnType<typeof topologyLines>[number];

/** The lines of sweeps, without crossovers. */
type Lines = Pick<SweepChart, "over" | "lines">;

/** The lines of all scenarios as one sweep, so that equal lines have equal names. */
export function together(charts: SweepChart[]): Lines {
  return { over: "peers", lines: charts.flatMap(({ lines }) => lines) };
}

/** The requested load, otherwise the one with the most results. */
export function chosenLoad(chart: Lines, asked: string | undefined) {
  const loads = loadsOf(chart);
  return { loads, load: loads.find(({ key }) => key === asked) ?? loads[0] };
}

/** The runs of a load's points; they record oversubscription. */
export function runsOf(chart: Lines, load: string): string[] {
  const points = linesOf(chart, load).flatMap((line) => line.points);
  return distinct(points.map(({ point }) => point.run_id));
}

/** The lines of a load with times per message or operation, for the runs loaded so far. */
export function topologyLines(chart: Lines, load: string, runs: RunDetail[], time: TimeOf) {
  const results = new Map(
    runs.flatMap(({ run, results: own }) =>
      own.map((result) => [`${run.run_id} ${result.series_id}`, result] as const),
    ),
  );
  const lines = linesOf(chart, load);
  const keys = new Map(lines.toReversed().map(({ label, key }) => [label, key]));
  return lines.map((line) => ({
    key: keys.get(line.label) ?? line.key,
    label: line.label,
    scenario: chart.lines[line.places[0] ?? -1]?.parameters.scenario ?? "",
    points: line.points.flatMap(({ x, point }) => {
      const result = results.get(`${point.run_id} ${point.series_id}`);
      const time_ns = timeOf(result, time);
      if (result === undefined || time_ns === null) return [];
      return [
        {
          members: x,
          time_ns,
          isOversubscribed: result.observed?.oversubscribed ?? false,
          lossy: point.lossy,
          /** The full result and its run. */
          result,
          runId: point.run_id,
        },
      ];
    }),
  }));
}

/** The style of each line on the whole page. */
export function looksOf(lines: TopologyLine[]): { key: string; label: string; look: number }[] {
  return [...groupBy(lines, ({ key }) => key)].map(([key, [{ label }]], look) => ({ key, label, look }));
}

export function lossless(lines: TopologyLine[]): TopologyLine[] {
  return lines
    .map((line) => ({ ...line, points: line.points.filter(({ lossy }) => !lossy) }))
    .filter(({ points }) => points.length > 0);
}

/** The ideal: the fastest time with the fewest members. */
export function flatOf(lines: TopologyLine[]): number | null {
  const points = lines.flatMap((line) => line.points);
  const least = Math.min(...points.map(({ members }) => members));
  const times = points.filter(({ members }) => members === least).map(({ time_ns }) => time_ns);
  return times.length === 0 ? null : Math.min(...times);
}

/** The headline: the line that is fastest with the most members, and its time with the fewest. */
export function topologyHeadline(lines: TopologyLine[], machine: string, time: TimeOf): string {
  for (const { scenario, noun } of TOPOLOGIES) {
    const found = lines.filter((line) => line.scenario === scenario);
    const points = found.flatMap((line) => line.points.map((point) => ({ line, ...point })));
    const most = Math.max(...points.map(({ members }) => members));
    const [best] = points
      .filter(({ members }) => members === most)
      .sort((a, b) => ascending(a.time_ns, b.time_ns));
    if (best === undefined) continue;
    const [fewest] = best.line.points;
    const name = scenario === "route" ? "Route" : "Channel";
    const per = `per ${time}`;
    const figures =
      fewest === undefined || fewest.members === most
        ? `${timeText(best.time_ns, time)} ${per} with ${most} ${nounOf(most, noun)}`
        : `${timeText(fewest.time_ns, time)} ${per} with ${fewest.members} ${nounOf(fewest.members, noun)}, ${timeText(best.time_ns, time)} with ${most}`;
    return `${name} over ${inSentence(best.line.label)} on ${machine}: ${figures}`;
  }
  return `No lossless results on ${machine}`;
}

function nounOf(members: number, noun: string): string {
  return members === 1 ? noun.replace(/s\b/g, "") : noun;
}

/** `ring-futex (spins, then blocks)`: labels contain commas. */
function inSentence(label: string): string {
  const [transport, ...traits] = label.split(", ");
  return traits.length === 0 ? label : `${transport} (${traits.join(", ")})`;
}

/** Times per message are divided, so they keep more digits. */
export function timeText(time_ns: number, time: TimeOf): string {
  return unbroken(time === "message" ? formatDividedNs(time_ns) : formatNs(time_ns));
}

/** The number of processors available on a machine; `null` if unknown. */
export function processorsOf(stable: Record<string, string> | undefined): number | null {
  const allowed = stable?.["cpu.allowed"] ?? "";
  return /^[1-9]\d*$/.test(allowed) ? Number(allowed) : null;
}

function timeOf(result: RunResult | undefined, time: TimeOf): number | null {
  if (result?.point == null) return null;
  return time === "message" ? nsPerMessage(result.point, result.case) : result.point.latency_ns.p50;
}
