/** Every transport on every machine: how it went over the last commits, and where it stands. */
import { Link } from "@tanstack/react-router";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { Sparkline } from "@/components/chart/Sparkline";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toSeries } from "@/lib/paths";
import { formatBytes, quantityOfNs, quantityOfRate } from "@/lib/units";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import { type Cell, type GridRow, headlineValue, type Slice, shapeOf } from "../data";

type Props = { project: string; slice: Slice; machines: string[]; rows: GridRow[] };

export function TransportGrid({ project, slice, machines, rows }: Props) {
  const { domain, hasHistory } = shapeOf(rows);
  return (
    <>
      <ScrollRegion label="Transports">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">transport</th>
              {machines.map((machine) => (
                <th key={machine} scope="col">
                  {machine}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ slug, title, semantics, cells }) => (
              <tr key={slug}>
                <th scope="row" title={`${title}. ${semantics}`}>
                  {slug}
                </th>
                {cells.map(({ machine, cell }) => (
                  <td key={machine}>
                    <CellContent project={project} cell={cell} domain={domain} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">{noteOf(slice, hasHistory)}</p>
    </>
  );
}

type CellProps = { project: string; cell: Cell; domain: [number, number] };

function CellContent({ project, cell, domain }: CellProps) {
  switch (cell.kind) {
    case "measured": {
      const { kind, value } = headlineValue(cell.latest);
      return (
        <Link {...toSeries(project, cell.series.series_id)} className="grid-cell">
          {cell.values.length === 1 && kind === "latency" ? (
            <LatencyShape latency={cell.latest.latency_ns} domain={domain} width={132} />
          ) : (
            <Sparkline values={cell.values} />
          )}
          <QuantityText quantity={kind === "rate" ? quantityOfRate(value) : quantityOfNs(value)} />
        </Link>
      );
    }
    case "unsupported":
      return (
        <span className="muted" title={cell.reason}>
          not on this system
        </span>
      );
    case "missing":
      return <span className="muted">not measured</span>;
  }
}

function noteOf({ scenario, mode, placement, bytes }: Slice, hasHistory: boolean): string {
  const how = `${modeName(mode)}, ${placementName(placement)}`;
  const what =
    scenario === "stream"
      ? `Payload bytes delivered per second, written ${formatBytes(bytes)} at a time`
      : `Median (p50) of a ${formatBytes(bytes)} ${scenarioName(scenario)}`;
  const shapes = hasHistory
    ? "Lines: the last 50 commits."
    : "Shapes, until there is a second commit: the middle half, median, p99 and maximum on one logarithmic axis.";
  return `${what}; ${how}. ${shapes}`;
}
