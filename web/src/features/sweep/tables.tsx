/** What the pages draw as tables and as CSV. */
import { Link } from "@tanstack/react-router";
import type { ChartTable } from "@/components/chart/ChartFrame";
import type { SweptLine } from "@/components/chart/swept";
import { ascending } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { toPoint } from "@/lib/paths";
import { acceptedMark, nsPerMessage } from "@/lib/points";
import { intervalParts } from "@/lib/statistics";
import { type Crossing, type Figure, figureOf, figuresOf, type MeasuredPoint } from "@/lib/sweep";
import { formatBytes, formatDividedNs, formatNs, formatRate } from "@/lib/units";
import { scenarioName } from "@/lib/vocabulary";
import { type TimeOf, type TopologyLine, timeText } from "./topology";

const APART = { lossy: "lossy, not compared", environment: "another environment, not compared" };

/** Every point of the lines that are drawn: by size, and within a size by the figure that is shown. */
export function sweepTable(
  project: string,
  fileName: string,
  lines: SweptLine[],
  figure: Figure,
): ChartTable {
  const figures = figuresOf(lines);
  const cost = (entry: MeasuredPoint) => {
    const value = figureOf(entry, figure) ?? Number.POSITIVE_INFINITY;
    return figure === "throughput" ? -value : value;
  };
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  return {
    fileName,
    columns: [
      { label: "message", csvName: "message_bytes", number: true },
      { label: "line", csvName: "line", number: false },
      ...figures.map((name) => ({
        label: name,
        csvName: name === "throughput" ? "bytes_per_second" : `latency_ns_${name}`,
        number: true,
      })),
      { label: "commit", csvName: "commit_sha", number: false },
      { label: "comparable", csvName: "not_compared_because", number: false },
    ],
    rows: () =>
      points
        .sort((a, b) => ascending(a.x, b.x) || ascending(cost(a), cost(b)))
        .map(({ label, x, point, apart }) => ({
          key: `${label} ${x}`,
          cells: [
            formatBytes(x),
            label,
            ...figures.map((name) => cellOf(figureOf({ point }, name), name)),
            <Link key="point" {...toPoint(project, point.series_id, point.run_id)}>
              <code>{shortSha(point.commit_sha)}</code>
            </Link>,
            apart === null ? (
              "yes"
            ) : (
              <span key="apart" className="warning">
                {APART[apart]}
              </span>
            ),
          ],
          csv: [x, label, ...figures.map((name) => figureOf({ point }, name)), point.commit_sha, apart],
        })),
  };
}

/** Where lines cross, with both ends of the interval. */
export function crossingsTable(fileName: string, crossings: Crossing[]): ChartTable {
  return {
    fileName,
    columns: [
      { label: "faster below", csvName: "faster_below", number: false },
      { label: "faster above", csvName: "faster_above", number: false },
      { label: "equal at", csvName: "message_bytes", number: true },
      { label: "95 % from", csvName: "message_bytes_low", number: true },
      { label: "to", csvName: "message_bytes_high", number: true },
    ],
    rows: () =>
      crossings.map(({ below, above, x, from, to }) => {
        const { size, low, high } = intervalParts({ x, from, to });
        return {
          key: `${below.key} ${above.key} ${x}`,
          cells: [below.label, above.label, size, low, high],
          csv: [below.label, above.label, x, from, to],
        };
      }),
  };
}

/** One scenario's points, by how many take part. */
export function scalingTable(
  project: string,
  fileName: string,
  lines: TopologyLine[],
  { noun, time }: { noun: string; time: TimeOf },
): ChartTable {
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  return {
    fileName,
    columns: [
      { label: noun, csvName: "members", number: true },
      { label: "line", csvName: "line", number: false },
      {
        label: `p50 of ${time === "message" ? "a message" : "an operation"}`,
        csvName: `p50_ns_per_${time}`,
        number: true,
      },
      { label: "processors", csvName: "oversubscribed", number: false },
      { label: "run", csvName: "run_id", number: false },
    ],
    rows: () =>
      points
        .sort((a, b) => ascending(a.members, b.members) || ascending(a.time_ns, b.time_ns))
        .map(({ label, members, time_ns, isOversubscribed, result, runId }) => ({
          key: `${label} ${members}`,
          cells: [
            members,
            label,
            timeText(time_ns, time),
            isOversubscribed ? "fewer than threads" : "enough",
            <Link key="point" {...toPoint(project, result.series_id, runId)}>
              pin
            </Link>,
          ],
          csv: [members, label, time_ns, isOversubscribed, runId],
        })),
  };
}

/** What was lost, with what became of it: these figures are set beside nothing. `null`: nothing was. */
export function lossyTable(fileName: string, lines: TopologyLine[]): ChartTable | null {
  const points = lines.flatMap(({ label, scenario, points: own }) =>
    own.filter(({ lossy }) => lossy).map((entry) => ({ label, scenario, ...entry })),
  );
  if (points.every(({ result }) => result.point == null)) return null;
  return {
    fileName,
    columns: [
      { label: "scenario", csvName: "scenario", number: false },
      { label: "members", csvName: "members", number: true },
      { label: "line", csvName: "line", number: false },
      { label: "p50 of a message delivered", csvName: "p50_ns_per_message_delivered", number: true },
      { label: "accepted", csvName: "accepted_share", number: true },
    ],
    rows: () =>
      points.flatMap(({ label, scenario, members, result: { point, case: kase } }) => {
        if (point == null) return [];
        const each = nsPerMessage(point, kase);
        return [
          {
            key: `${scenario} ${label} ${members}`,
            cells: [
              scenarioName(scenario),
              members,
              label,
              each === null ? "" : formatDividedNs(each),
              acceptedMark(point),
            ],
            csv: [scenario, members, label, each, point.accepted / Math.max(1, point.attempted)],
          },
        ];
      }),
  };
}

function cellOf(value: number | null, figure: Figure): string {
  if (value === null) return "";
  return figure === "throughput" ? formatRate(value) : formatNs(value);
}

/** What to mind when reading a page's figures, a sentence each. */
export function Cautions({ sentences }: { sentences: string[] }) {
  if (sentences.length === 0) return null;
  return (
    <ul className="cautions">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
