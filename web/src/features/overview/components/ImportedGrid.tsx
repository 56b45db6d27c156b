/** What other tools have measured, on every machine: how it went over the last commits, and where it stands. */
import { Link } from "@tanstack/react-router";
import type { LineSeries } from "@/api/types";
import { Sparkline } from "@/components/chart/Sparkline";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { historyOf } from "@/lib/history";
import { toSeries } from "@/lib/paths";
import { quantityOfNs } from "@/lib/units";
import type { ImportedCell, ImportedGroup } from "../imported";
import { MachineHead } from "./MachineHead";

type Props = {
  project: string;
  machines: string[];
  groups: ImportedGroup[];
  lines: ReadonlyMap<number, LineSeries>;
};

export function ImportedGrid({ project, machines, groups, lines }: Props) {
  const hasStated = groups.some(({ rows }) =>
    rows.some(({ cells }) => cells.some(({ cell }) => cell?.statistic != null)),
  );
  return (
    <>
      <ScrollRegion label="Imported">
        <table className="table table-dense">
          <MachineHead rows="benchmark" machines={machines} />
          {groups.map(({ tool, time, rows }) => (
            <tbody key={`${tool.slug} ${time}`}>
              <tr className="group">
                <th scope="rowgroup" colSpan={1 + machines.length} title={tool.semantics}>
                  {tool.title}
                  {time !== null && <span className="muted"> {time}</span>}
                </th>
              </tr>
              {rows.map(({ name, cells }) => (
                <tr key={name}>
                  <th scope="row" className="name">
                    {name}
                  </th>
                  {cells.map(({ machine, cell }) => (
                    <td key={machine}>
                      {cell === null ? (
                        <span className="muted">not imported</span>
                      ) : (
                        <Figure project={project} cell={cell} line={lines.get(cell.series.series_id)} />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </ScrollRegion>
      <p className="section-note">
        Median (p50) of the samples that other tools took; lines: the last 60 points.
        {hasStated && " Stated: the tool's own figure, without samples, which is compared with nothing."}
      </p>
    </>
  );
}

type FigureProps = { project: string; cell: ImportedCell; line: LineSeries | undefined };

function Figure({ project, cell: { series, value_ns, statistic }, line }: FigureProps) {
  const { values } = line === undefined ? { values: [] } : historyOf(line);
  return (
    <Link {...toSeries(project, series.series_id)} className="grid-cell named-cell">
      <Sparkline values={values.length > 0 ? values : [value_ns]} />
      <QuantityText plain={statistic !== null} quantity={quantityOfNs(value_ns)} />
      {statistic !== null && <span className="muted">{statistic}, stated</span>}
    </Link>
  );
}
