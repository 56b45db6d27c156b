/** What the pages draw as tables and as CSV, and what both of them have above. */
import { Link } from "@tanstack/react-router";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import type { SweptLine } from "@/components/chart/swept";
import { SelectField } from "@/components/ui/controls";
import { ascending } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { toPoint } from "@/lib/paths";
import { acceptedMark, nsPerMessage } from "@/lib/points";
import { intervalParts } from "@/lib/statistics";
import { type Crossing, type Figure, figureOf, figuresOf, type Load, type MeasuredPoint } from "@/lib/sweep";
import { formatBytes, formatDividedNs, formatNs, formatRate } from "@/lib/units";
import { scenarioName } from "@/lib/vocabulary";
import { type TimeOf, type TopologyLine, timeText } from "./topology";

const APART = { lossy: "lossy, not compared", environment: "another environment, not compared" };

/** Every point of the lines that are drawn: by size, and within a size by the figure that is shown. */
export function sweepTable(project: string, fileName: string, lines: SweptLine[], figure: Figure) {
  const cost = (entry: MeasuredPoint) => {
    const value = figureOf(entry, figure) ?? Number.POSITIVE_INFINITY;
    return figure === "throughput" ? -value : value;
  };
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  const rows = () => points.sort((a, b) => ascending(a.x, b.x) || ascending(cost(a), cost(b)));
  return tableOf(fileName, rows, [
    num("message", "message_bytes", ({ x }) => x, formatBytes),
    word("line", "line", ({ label }) => label),
    ...figuresOf(lines).map((name) =>
      name === "throughput"
        ? num(name, "bytes_per_second", (entry: MeasuredPoint) => figureOf(entry, name), formatRate)
        : num(name, `latency_ns_${name}`, (entry: MeasuredPoint) => figureOf(entry, name), formatNs),
    ),
    word(
      "commit",
      "commit_sha",
      ({ point }) => point.commit_sha,
      ({ point }) => (
        <Link {...toPoint(project, point.series_id, point.run_id)}>
          <code>{shortSha(point.commit_sha)}</code>
        </Link>
      ),
    ),
    word(
      "comparable",
      "not_compared_because",
      ({ apart }) => apart,
      ({ apart }) => (apart === null ? "yes" : <span className="warning">{APART[apart]}</span>),
    ),
  ]);
}

/** Where lines cross, with both ends of the interval. */
export function crossingsTable(fileName: string, crossings: Crossing[]): ChartTable {
  const rows = () => crossings.map((crossing) => ({ ...crossing, parts: intervalParts(crossing) }));
  return tableOf(fileName, rows, [
    word("faster below", "faster_below", ({ below }) => below.label),
    word("faster above", "faster_above", ({ above }) => above.label),
    num(
      "equal at",
      "message_bytes",
      ({ x }) => x,
      (_, { parts }) => parts.size,
    ),
    num(
      "95 % from",
      "message_bytes_low",
      ({ from }) => from,
      (_, { parts }) => parts.low,
      "not bounded",
    ),
    num(
      "to",
      "message_bytes_high",
      ({ to }) => to,
      (_, { parts }) => parts.high,
      "not bounded",
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
    num(noun, "members", ({ members }) => members),
    word("line", "line", ({ label }) => label),
    num(
      `p50 of ${time === "message" ? "a message" : "an operation"}`,
      `p50_ns_per_${time}`,
      ({ time_ns }) => time_ns,
      (ns) => timeText(ns, time),
    ),
    word(
      "processors",
      "oversubscribed",
      ({ isOversubscribed }) => isOversubscribed,
      ({ isOversubscribed }) => (isOversubscribed ? "fewer than threads" : "enough"),
    ),
    word(
      "run",
      "run_id",
      ({ runId }) => runId,
      ({ result, runId }) => <Link {...toPoint(project, result.series_id, runId)}>pin</Link>,
    ),
  ]);
}

/** What was lost, with what became of it: these figures are set beside nothing. `null`: nothing was. */
export function lossyTable(fileName: string, lines: TopologyLine[]): ChartTable | null {
  const points = lines.flatMap(({ label, scenario, points: own }) =>
    own.flatMap(({ lossy, members, result: { point, case: kase } }) =>
      lossy && point !== null ? [{ label, scenario, members, point, each: nsPerMessage(point, kase) }] : [],
    ),
  );
  if (points.length === 0) return null;
  return tableOf(fileName, () => points, [
    word(
      "scenario",
      "scenario",
      ({ scenario }) => scenario,
      ({ scenario }) => scenarioName(scenario),
    ),
    num("members", "members", ({ members }) => members),
    word("line", "line", ({ label }) => label),
    num("p50 of a message delivered", "p50_ns_per_message_delivered", ({ each }) => each, formatDividedNs),
    num(
      "accepted",
      "accepted_share",
      ({ point }) => point.accepted / Math.max(1, point.attempted),
      (_, { point }) => acceptedMark(point),
    ),
  ]);
}

/** What to mind when reading a page's figures, a sentence each; `false` is none. */
export function Cautions({ sentences }: { sentences: (string | false)[] }) {
  const told = sentences.filter((sentence) => sentence !== false);
  return told.length === 0 ? null : (
    <ul className="cautions">
      {told.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

type LoadProps = { loads: Load[]; load: Load | undefined; onChange: (change: { load: string }) => void };

export function LoadField({ loads, load, onChange }: LoadProps) {
  if (loads.length < 2) return null;
  return (
    <SelectField
      label="Load"
      options={loads.map(({ key, label }) => ({ value: key, label: label || "usual" }))}
      value={load?.key ?? ""}
      onChange={(key) => onChange({ load: key })}
    />
  );
}
