/** A published table with our columns behind it: as a table and as CSV. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChartTable } from "@/components/chart/ChartFrame";
import { shortSha } from "@/lib/commits";
import { toPoint } from "@/lib/paths";
import { formatDividedNs } from "@/lib/units";
import { cellText, type ShownTable } from "./data";
import { type OwnColumn, ownFigure, type Protocol } from "./ours";

export function referenceTable(
  fileName: string,
  { columns, rows }: ShownTable,
  protocol: Protocol | null,
  own: OwnColumn[],
): ChartTable {
  return {
    fileName,
    columns: [
      ...columns.map(({ key, label, isNumber, unit }) => ({
        label,
        csvName: unit === null ? key : `${key} [${unit}]`,
        number: isNumber,
      })),
      ...own.map(({ machine, transport, commit }) => ({
        label: `here: ${transport}, ${protocol?.figure}, ${machine}${commit === null ? "" : ` at ${shortSha(commit)}`}`,
        csvName: `here_${machine}_${transport}_ns`,
        number: true,
      })),
    ],
    rows: () =>
      rows.map(({ key, cells, of }) => {
        const figures = own.map((column) => (protocol === null ? null : ownFigure(protocol, column, of)));
        return {
          key,
          cells: [
            ...cells.map((cell, place) => publishedCell(cell, columns[place]?.unit ?? null)),
            ...figures.map((figure, place) => ownCell(figure, own[place])),
          ],
          csv: [...cells, ...figures.map((figure) => figure?.time_ns ?? null)],
        };
      }),
  };
}

function publishedCell(cell: string | number | null, unit: Parameters<typeof cellText>[1]): ReactNode {
  const text = cellText(cell, unit);
  return cell === null ? <span className="muted">{text}</span> : text;
}

function ownCell(figure: ReturnType<typeof ownFigure>, column: OwnColumn | undefined): ReactNode {
  if (figure === null) return <span className="muted">not measured</span>;
  const { series, time_ns } = figure;
  const { latest } = series;
  const text = formatDividedNs(time_ns);
  if (latest == null) return text;
  return (
    <>
      <Link {...toPoint(series.project, series.series_id, latest.run_id)}>{text}</Link>
      {column?.commit === null && <span className="muted"> {shortSha(latest.commit_sha)}</span>}
      {latest.lossy && <span className="warning"> lossy</span>}
    </>
  );
}
