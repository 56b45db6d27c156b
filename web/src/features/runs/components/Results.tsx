/** The measured cases of one scenario in dense tables: what lost messages stands apart, and without shapes. */
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { OVERSUBSCRIBED } from "@/lib/points";
import { formatNs } from "@/lib/units";
import { latencyMeaning, scenarioName } from "@/lib/vocabulary";
import { type MeasuredResult, type ResultTable, resultTables } from "../data";
import { ResultRow } from "./ResultRow";

type Props = { project: string; runId: string; scenario: string; results: MeasuredResult[] };

const SHAPES =
  "Shapes: the middle half as a band, the median and p99 as ticks, a line from the minimum to p99, a dot at the " +
  "maximum, on one logarithmic axis for all rows of the table.";

export function Results({ project, runId, scenario, results }: Props) {
  const { shared, lossless, lossy } = resultTables(results);
  const meaning = latencyMeaning(scenario);
  const label = `Results, ${scenarioName(scenario)}`;
  const links = { project, runId };
  return (
    <>
      {shared.length > 0 && <p className="section-note">All rows: {shared.join(", ")}.</p>}
      {lossless.rows.length > 0 && <Table {...links} label={label} table={lossless} isLossy={false} />}
      {lossy.rows.length > 0 && (
        <div className={lossless.rows.length > 0 ? "subsection" : undefined}>
          <p className="warning">
            Lossy: not everything attempted was delivered once, in order and intact. Not comparable with
            lossless figures.
          </p>
          <Table {...links} label={`${label}, lossy`} table={lossy} isLossy />
        </div>
      )}
      <p className="section-note">
        {meaning !== null && `Times: ${meaning}. `}
        {(lossless.hasOversubscribed || lossy.hasOversubscribed) && `Oversubscribed: ${OVERSUBSCRIBED}. `}
        {lossless.rows.length > 0 && SHAPES}
      </p>
    </>
  );
}

type TableProps = { project: string; runId: string; label: string; table: ResultTable; isLossy: boolean };

function Table({ project, runId, label, table: { rows, domain, columns }, isLossy }: TableProps) {
  return (
    <ScrollRegion label={label}>
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">transport</th>
            <th scope="col">mode</th>
            <th scope="col">placement</th>
            <th scope="col" className="number">
              message
            </th>
            {columns.hasParameters && <th scope="col">parameters</th>}
            {domain !== null && (
              <th scope="col">
                {formatNs(domain[0])} to {formatNs(domain[1])}
              </th>
            )}
            <th scope="col" className="number">
              p50
            </th>
            {columns.hasMessages && (
              <th
                scope="col"
                className="number"
                title={`p50 over the messages of an operation${isLossy ? " that a receiver got, on average" : ""}`}
              >
                {isLossy ? "a message delivered" : "a message"}
              </th>
            )}
            <th scope="col" className="number">
              p98
            </th>
            <th scope="col" className="number">
              p99
            </th>
            <th scope="col" className="number">
              max
            </th>
            {columns.hasRate && (
              <th scope="col" className="number">
                throughput
              </th>
            )}
            {columns.hasDueTimes && (
              <>
                <th scope="col" className="number" title="sending began a whole interval late, or more">
                  late
                </th>
                <th scope="col" className="number" title="received when the next was already due, or never">
                  missed
                </th>
                <th scope="col" className="number" title="processor time of all ends over messages delivered">
                  CPU each
                </th>
              </>
            )}
            <th scope="col" className="number">
              delivered
            </th>
            <th scope="col" className="number">
              repetitions
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ result, apart }) => (
            <ResultRow
              key={result.series_id}
              project={project}
              runId={runId}
              result={result}
              apart={apart}
              domain={domain}
              columns={columns}
            />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
