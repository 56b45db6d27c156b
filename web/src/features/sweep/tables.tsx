/** Tables, CSV and shared parts of the sweep and topology pages. */
import { Link } from "@tanstack/react-router";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { SelectField } from "@/components/ui/controls";
import { ascending } from "@/lib/collections";
import { toPoint } from "@/lib/paths";
import { acceptedMark, nsPerMessage } from "@/lib/points";
import { intervalParts } from "@/lib/statistics";
import type { Load } from "@/lib/sweep";
import { formatBytes, formatDividedNs, upperFirst } from "@/lib/units";
import { scenarioName } from "@/lib/vocabulary";
import type { Crossover } from "./answer";
import type { TimeOf } from "./search";
import { type TopologyLine, timeText } from "./topology";

/** Crossovers with both ends of the interval. */
export function crossingsTable(fileName: string, crossovers: Crossover[]): ChartTable {
  const rows = () =>
    crossovers.map(({ crossing, ...row }) => ({
      ...row,
      crossing,
      parts: crossing === null ? null : intervalParts(crossing),
    }));
  type Row = ReturnType<typeof rows>[number];
  const absent = ({ crossing }: Row) => (crossing === null ? "not estimated" : "unbounded");
  return tableOf(fileName, rows, [
    word("Faster below", "faster_below", ({ below }: Row) => below.label),
    word("Faster above", "faster_above", ({ above }: Row) => above.label),
    num("Up to", "last_bytes", ({ between }: Row) => between?.[0] ?? null, formatBytes),
    num("From", "first_bytes", ({ between }: Row) => between?.[1] ?? null, formatBytes),
    num(
      "Equal at",
      "message_bytes",
      ({ crossing }: Row) => crossing?.x ?? null,
      (_, { parts }) => parts?.size,
      absent,
    ),
    num(
      "CI low",
      "message_bytes_low",
      ({ crossing }: Row) => crossing?.from ?? null,
      (_, { parts }) => parts?.low,
      absent,
    ),
    num(
      "CI high",
      "message_bytes_high",
      ({ crossing }: Row) => crossing?.to ?? null,
      (_, { parts }) => parts?.high,
      absent,
    ),
  ]);
}

export function scalingTable(
  project: string,
  fileName: string,
  lines: TopologyLine[],
  { noun, time }: { noun: string; time: TimeOf },
): ChartTable {
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  const rows = () =>
    points.sort((a, b) => ascending(a.members, b.members) || ascending(a.time_ns, b.time_ns));
  return tableOf(fileName, rows, [
    num(upperFirst(noun), "members", ({ members }) => members),
    word("Line", "line", ({ label }) => label),
    num(
      `p50 per ${time}`,
      `p50_ns_per_${time}`,
      ({ time_ns }) => time_ns,
      (ns) => timeText(ns, time),
    ),
    word(
      "Oversubscribed",
      "oversubscribed",
      ({ isOversubscribed }) => isOversubscribed,
      ({ isOversubscribed }) => (isOversubscribed ? "yes" : "no"),
    ),
    word(
      "Point",
      "run_id",
      ({ runId }) => runId,
      ({ result, runId }) => <Link {...toPoint(project, result.series_id, runId)}>pin</Link>,
    ),
  ]);
}

/** Lossy results, which are never compared; `null` if there are none. */
export function lossyTable(fileName: string, lines: TopologyLine[]): ChartTable | null {
  const points = lines.flatMap(({ label, scenario, points: own }) =>
    own.flatMap(({ lossy, members, result: { point, case: kase } }) =>
      lossy && point !== null ? [{ label, scenario, members, point, each: nsPerMessage(point, kase) }] : [],
    ),
  );
  if (points.length === 0) return null;
  return tableOf(fileName, () => points, [
    word(
      "Scenario",
      "scenario",
      ({ scenario }) => scenario,
      ({ scenario }) => scenarioName(scenario),
    ),
    num("Members", "members", ({ members }) => members),
    word("Line", "line", ({ label }) => label),
    num("p50 per delivered message", "p50_ns_per_message_delivered", ({ each }) => each, formatDividedNs),
    num(
      "Accepted",
      "accepted_share",
      ({ point }) => point.accepted / Math.max(1, point.attempted),
      (_, { point }) => acceptedMark(point),
    ),
  ]);
}

type LoadProps = { loads: Load[]; load: Load | undefined; onChange: (change: { load: string }) => void };

export function LoadField({ loads, load, onChange }: LoadProps) {
  if (loads.length < 2) return null;
  return (
    <SelectField
      label="Load"
      options={loads.map(({ key, label }) => ({ value: key, label: upperFirst(label || "default") }))}
      value={load?.key ?? ""}
      onChange={(key) => onChange({ load: key })}
    />
  );
}
