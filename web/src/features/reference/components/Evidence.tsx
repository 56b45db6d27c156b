/** The figures that an answer rests on: as a table, and where they are of sizes, as lines over them. */
import { Link } from "@tanstack/react-router";
import type { EvidenceCell, EvidenceColumn, EvidenceTable } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { ForestAxis, ForestRow } from "@/components/chart/ForestPlot";
import type { ForestScale } from "@/components/chart/forest";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toPoint } from "@/lib/paths";
import { slugOf } from "@/lib/search";
import { cellText, csvName, estimateOf, intervalOf, linesOf, markOf, scaleOf, tickText } from "../worked";

type Props = { project: string; fileName: string; evidence: EvidenceTable };

const ROWS_ARE = { message_bytes: "message", transport: "transport", topology: "senders and receivers" };

export function Evidence({ project, fileName, evidence }: Props) {
  const { title, columns, rows } = evidence;
  const lines = linesOf(evidence);
  const summary = [
    ...(columns.some(({ unit }) => unit === "times") ? ["Ratios with their 95 % intervals."] : []),
    ...(rows.some(({ cells }) => cells.some((cell) => cell?.run_id != null))
      ? ["A figure leads to the point that it is of."]
      : []),
  ];
  return (
    <ChartFrame
      name={slugOf(title)}
      title={title}
      summary={summary.join(" ")}
      table={fileOf(fileName, evidence)}
    >
      {lines.length > 0 && (
        <div className="evidence">
          <SweepChart
            name={`${title}: against message size`}
            lines={lines.map((line) => ({ ...line, current: false }))}
            measure={columns.some(({ unit }) => unit === "bytes_per_second") ? RATE : LATENCY}
          />
        </div>
      )}
      <EvidenceRows project={project} evidence={evidence} />
    </ChartFrame>
  );
}

function EvidenceRows({ project, evidence }: Omit<Props, "fileName">) {
  const { title, rows_are, columns, rows } = evidence;
  const scale = scaleOf(evidence);
  return (
    <ScrollRegion label={title}>
      <table className="table table-dense forest">
        <thead>
          <tr>
            <th scope="col">{ROWS_ARE[rows_are]}</th>
            {columns.map((column) => (
              <HeadCells key={column.name} column={column} scale={scale} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((column, place) => (
                <BodyCells
                  key={column.name}
                  project={project}
                  column={column}
                  cell={cells[place] ?? null}
                  scale={scale}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** A ratio has its interval and its place on the axis beside it. */
function HeadCells({ column: { name, unit }, scale }: { column: EvidenceColumn; scale: ForestScale | null }) {
  return (
    <>
      <th scope="col" className="number">
        {name}
      </th>
      {unit === "times" && (
        <>
          <th scope="col" className="number">
            95 % interval
          </th>
          <th scope="col" className="forest-cell">
            {scale !== null && (
              <ForestAxis
                name={`${name}, with its 95 % interval, from ${tickText(-scale.limit)} to ${tickText(scale.limit)}`}
                scale={scale}
                label={tickText}
              />
            )}
          </th>
        </>
      )}
    </>
  );
}

type CellProps = {
  project: string;
  column: EvidenceColumn;
  cell: EvidenceCell | null;
  scale: ForestScale | null;
};

function BodyCells({ project, column, cell, scale }: CellProps) {
  return (
    <>
      <td className="number">
        {cell === null ? <span className="muted">none</span> : <Figure {...{ project, column, cell }} />}
      </td>
      {column.unit === "times" && (
        <>
          <td className="number muted">{cell === null ? "" : intervalOf(cell)}</td>
          <td className="forest-cell">
            {cell !== null && scale !== null && (
              <ForestRow estimate={estimateOf(cell)} mark={markOf(cell)} scale={scale} />
            )}
          </td>
        </>
      )}
    </>
  );
}

function Figure({ project, column, cell }: { project: string; column: EvidenceColumn; cell: EvidenceCell }) {
  const text = cellText(cell, column);
  const { series_id, run_id } = cell;
  return series_id === null || run_id === null ? (
    text
  ) : (
    <Link {...toPoint(project, series_id, run_id)}>{text}</Link>
  );
}

/** The same as rows of a file: what a figure's interval is stands in columns of its own. */
function fileOf(fileName: string, { rows_are, columns, rows }: EvidenceTable): ChartTable {
  const ends = ({ unit }: EvidenceColumn) => (unit === "times" ? ["low", "high"] : []);
  return {
    fileName,
    columns: [
      { label: ROWS_ARE[rows_are], csvName: rows_are, number: false },
      ...columns.flatMap((column) => [
        { label: column.name, csvName: csvName(column), number: true },
        ...ends(column).map((end) => ({
          label: `${column.name}, ${end}`,
          csvName: `${column.name}, ${end} [times]`,
          number: true,
        })),
      ]),
    ],
    rows: () =>
      rows.map(({ name, message_bytes, cells }) => ({
        key: name,
        cells: [
          name,
          ...columns.flatMap((column, place) => {
            const cell = cells[place] ?? null;
            const text = cell === null ? "none" : cellText(cell, column);
            if (column.unit !== "times") return [text];
            return [text, ...[cell?.low, cell?.high].map((end) => (end == null ? "none" : end.toFixed(3)))];
          }),
        ],
        csv: [
          message_bytes ?? name,
          ...columns.flatMap((column, place) => {
            const cell = cells[place] ?? null;
            return [
              cell?.value ?? null,
              ...(column.unit === "times" ? [cell?.low ?? null, cell?.high ?? null] : []),
            ];
          }),
        ],
      })),
  };
}
