/** Every transport on every machine: recent commits and the newest value. */
import { Link } from "@tanstack/react-router";
import type { LineSeries } from "@/api/types";
import { BudgetBar, BudgetLegend } from "@/components/BudgetBar";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { Sparkline } from "@/components/chart/Sparkline";
import { RowTable, rowHead, Table } from "@/components/ui/Table";
import { QuantityText, ValueText } from "@/components/ui/text";
import { type Budget, partsIn } from "@/lib/budget";
import { endsOf, lowerFirst, parameterNames, sizeName, trafficName } from "@/lib/cases";
import { historyOf } from "@/lib/history";
import { toRun, toSeries } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { counted, quantityOfNs, quantityOfRate } from "@/lib/units";
import { latencyMeaning, modeName, placementName } from "@/lib/vocabulary";
import { type Cell, caseOf, type GridRow, hasResult, headlineValue, type Slice, shapeOf } from "./data";
import type { ImportedCell, ImportedGroup } from "./imported";

/** The newest budgets by series. */
type Budgets = ReadonlyMap<number, Budget>;

type Props = {
  project: string;
  slice: Slice;
  machines: string[];
  /** Its page has the reasons for missing results. */
  newestRun: string | undefined;
  rows: GridRow[];
  budgets: Budgets;
};

export function TransportGrid({ project, slice, machines, newestRun, rows, budgets }: Props) {
  const shape = shapeOf(rows);
  const shown = rows.filter(hasResult);
  const missing = rows.length - shown.length;
  return (
    <>
      <RowTable
        label="Transports"
        rows={shown}
        keyOf={({ slug }) => slug}
        columns={[
          [rowHead("Transport"), ({ slug }) => slug, ({ about }) => ({ title: about })],
          ...machines.map((machine) => {
            const cellOf = ({ cells }: GridRow) => cells.find((entry) => entry.machine === machine)?.cell;
            const cell = (row: GridRow) => (
              <CellContent
                project={project}
                cell={cellOf(row) ?? { kind: "missing" }}
                domain={shape.domain}
                budgets={budgets}
              />
            );
            return [machine, cell] as const;
          }),
        ]}
      />
      <p className="section-note">
        {noteOf(slice, shape)}{" "}
        {missing > 0 && newestRun !== undefined && (
          <Link {...toRun(project, newestRun)}>{counted(missing, "transport")} without results</Link>
        )}
      </p>
      {budgets.size > 0 && (
        <div className="section-note">
          Bars: time budget
          <BudgetLegend parts={partsIn(budgets.values())} />
        </div>
      )}
    </>
  );
}

type CellProps = { project: string; cell: Cell; domain: [number, number]; budgets: Budgets };

function CellContent({ project, cell, domain, budgets }: CellProps) {
  switch (cell.kind) {
    case "measured": {
      const { kind, value } = headlineValue(cell.latest);
      const budget = budgets.get(cell.series.series_id);
      return (
        <Link {...toSeries(project, cell.series.series_id)} className="grid-cell">
          {cell.values.length === 1 && kind === "latency" && !cell.latest.lossy ? (
            <LatencyShape latency={cell.latest.latency_ns} domain={domain} width={132} />
          ) : (
            <Sparkline values={cell.values} marks={cell.marks} />
          )}
          <QuantityText
            plain={cell.latest.lossy}
            quantity={kind === "rate" ? quantityOfRate(value) : quantityOfNs(value)}
          />
          <CellRemarks cell={cell} />
          {budget !== undefined && <BudgetBar budget={budget} />}
        </Link>
      );
    }
    case "probed":
      return <Link {...toSeries(project, cell.series.series_id)}>with probe only</Link>;
    case "unsupported":
      return (
        <span className="muted" title={cell.reason}>
          unsupported
        </span>
      );
    case "missing":
      return null;
  }
}

/** Remarks that limit how a value compares with its neighbours. */
function CellRemarks({ cell }: { cell: Cell & { kind: "measured" } }) {
  const warnings = [cell.latest.lossy && "lossy", cell.isOversubscribed && "oversubscribed"].filter(Boolean);
  if (warnings.length + cell.how.length === 0) return null;
  return (
    <span>
      {warnings.length > 0 && <span className="warning">{warnings.join(", ")}</span>}
      {warnings.length > 0 && cell.how.length > 0 && ", "}
      {cell.how.length > 0 && <span className="muted">{cell.how.join(", ")}</span>}
    </span>
  );
}

function noteOf(
  slice: Slice,
  { hasHistory, hasRate, hasOversubscribed }: ReturnType<typeof shapeOf>,
): string {
  const { scenario, mode, placement } = slice;
  const kase = caseOf(slice);
  const meaning = latencyMeaning(scenario);
  const what = hasRate
    ? `Payload throughput with ${sizeName(kase)} writes`
    : `p50 of ${lowerFirst(trafficName(kase))}${meaning === null ? "" : `, ${meaning}`}`;
  const ends = endsOf(slice.parameters);
  const how = [modeName(mode, ends), placementName(placement), ...parameterNames(kase)].join(", ");
  const shapes = hasHistory
    ? `Lines: ${hasRate ? "median transfer, " : ""}last 60 points.`
    : "Shapes: middle half, median, p99 and maximum, log scale.";
  const oversubscribed = hasOversubscribed ? ` Oversubscribed: ${OVERSUBSCRIBED}.` : "";
  return `${what}; ${how}. ${shapes}${oversubscribed}`;
}

type ImportedGridProps = {
  project: string;
  machines: string[];
  groups: ImportedGroup[];
  lines: ReadonlyMap<number, LineSeries>;
};

/** Imported results on every machine: recent commits and the newest value. */
export function ImportedGrid({ project, machines, groups, lines }: ImportedGridProps) {
  const hasStated = groups.some(({ rows }) =>
    rows.some(({ cells }) => cells.some(({ cell }) => cell?.statistic != null)),
  );
  return (
    <>
      <Table label="Imported" className="table table-dense" heads={["Benchmark", ...machines]}>
        {groups.map(({ key, tool, time, rows }) => (
          <tbody key={key}>
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
      </Table>
      <p className="section-note">
        p50 of imported samples{hasStated && ", or the stated value without samples"}.
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
      <ValueText plain={statistic !== null} stored={value_ns} of={series.case} />
      {statistic !== null && <span className="muted">{statistic}, stated</span>}
    </Link>
  );
}
