/** The table and CSV of a sweep chart. */
import { Link } from "@tanstack/react-router";
import { ShortSha } from "@/components/ui/text";
import { ascending } from "@/lib/collections";
import { toPoint } from "@/lib/paths";
import { type Figure, figureOf, figuresOf, type MeasuredPoint, NOT_COMPARABLE } from "@/lib/sweep";
import { formatBytes, formatNs, formatRate } from "@/lib/units";
import { num, tableOf, word } from "./DataTable";
import type { SweptLine } from "./swept";

/** Every point of the drawn lines, sorted by size and value. */
export function sweepTable(project: string, fileName: string, lines: SweptLine[], figure: Figure) {
  const cost = (entry: MeasuredPoint) => {
    const value = figureOf(entry, figure) ?? Number.POSITIVE_INFINITY;
    return figure === "throughput" ? -value : value;
  };
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  const rows = () => points.sort((a, b) => ascending(a.x, b.x) || ascending(cost(a), cost(b)));
  return tableOf(fileName, rows, [
    num("Message size", "message_bytes", ({ x }) => x, formatBytes),
    word("Line", "line", ({ label }) => label),
    ...figuresOf(lines).map((name) =>
      name === "throughput"
        ? num("Throughput", "bytes_per_second", (entry: MeasuredPoint) => figureOf(entry, name), formatRate)
        : num(name, `latency_ns_${name}`, (entry: MeasuredPoint) => figureOf(entry, name), formatNs),
    ),
    word(
      "Commit",
      "commit_sha",
      ({ point }) => point.commit_sha,
      ({ point }) => (
        <Link {...toPoint(project, point.series_id, point.run_id)}>
          <ShortSha sha={point.commit_sha} />
        </Link>
      ),
    ),
    word(
      "Comparable",
      "not_compared_because",
      ({ apart }) => apart,
      ({ apart }) => (apart === null ? "yes" : <span className="warning">{NOT_COMPARABLE[apart]}</span>),
    ),
  ]);
}
