/** The measured cases of one scenario in dense tables: what lost messages stands apart, and without shapes. */
import { Link } from "@tanstack/react-router";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { ScrollRegion } from "@/components/ui/states";
import { QuantityText } from "@/components/ui/text";
import { sizeName } from "@/lib/cases";
import { toPoint } from "@/lib/paths";
import { acceptedText, lossMark, nsPerMessage, OVERSUBSCRIBED } from "@/lib/points";
import { formatCount, formatNs, quantityOfDividedNs, quantityOfNs, quantityOfRate } from "@/lib/units";
import { latencyMeaning, placementName, scenarioName } from "@/lib/vocabulary";
import { type Columns, type MeasuredResult, type ResultTable, resultTables } from "./data";

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

type ResultRowProps = {
  project: string;
  runId: string;
  result: MeasuredResult;
  /** What sets it apart besides the columns that every result has. */
  apart: string[];
  /** The axis of its table; none where figures are not to be compared. */
  domain: [number, number] | null;
  columns: Columns;
};

/** One measured case: its shape on the axis of its table, its percentiles, and what they rest on. */
function ResultRow({ project, runId, result, apart, domain, columns }: ResultRowProps) {
  const { point, transport, case: kase, observed } = result;
  const { latency_ns: latency } = point;
  const each = nsPerMessage(point, kase);
  return (
    <tr>
      <th scope="row">
        <Link {...toPoint(project, result.series_id, runId)}>{transport.slug}</Link>
      </th>
      <td className="muted">{kase.mode}</td>
      <td className="muted">{placementName(kase.placement)}</td>
      <td className="number">{sizeName(kase)}</td>
      {columns.hasParameters && (
        <td className="muted apart">
          {apart.join(", ")}
          {observed?.oversubscribed && (
            <>
              {apart.length > 0 && ", "}
              <span className="warning" title={OVERSUBSCRIBED}>
                oversubscribed
              </span>
            </>
          )}
        </td>
      )}
      {domain !== null && (
        <td>
          <LatencyShape latency={latency} domain={domain} width={columns.hasMessages ? 100 : 150} />
        </td>
      )}
      <td className="number">
        <QuantityText plain={point.lossy} quantity={quantityOfNs(latency.p50)} />
      </td>
      {columns.hasMessages && (
        <td className="number">
          {each !== null && <QuantityText plain quantity={quantityOfDividedNs(each)} />}
        </td>
      )}
      {(["p98", "p99", "max"] as const).map((key) => (
        <td key={key} className="number">
          <QuantityText plain quantity={quantityOfNs(latency[key])} />
        </td>
      ))}
      {columns.hasRate && (
        <td className="number">
          {point.bytes_per_second != null && (
            <QuantityText plain={point.lossy} quantity={quantityOfRate(point.bytes_per_second)} />
          )}
        </td>
      )}
      {columns.hasDueTimes && (
        <>
          <td className="number">{observed?.late == null ? "" : formatCount(observed.late)}</td>
          <td className="number">{observed?.missed == null ? "" : formatCount(observed.missed)}</td>
          <td className="number">
            {observed?.cpu_ns_per_message != null && (
              <QuantityText plain quantity={quantityOfNs(observed.cpu_ns_per_message)} />
            )}
          </td>
        </>
      )}
      <td className={point.lossy ? "number loss warning" : "number"}>
        {point.lossy ? lossMark(point, kase) : formatCount(point.delivered)}
        {point.accepted < point.attempted && <span className="line">{acceptedText(point)}</span>}
      </td>
      <td className="number flexible">
        {formatCount(point.repetition_count)}
        {point.disturbed_count > 0 && (
          <>
            {" "}
            <span
              className="warning unbroken"
              title={observed?.disturbed.map(({ reason }) => reason).join("\n")}
            >
              ({formatCount(point.disturbed_count)} disturbed)
            </span>
          </>
        )}
      </td>
    </tr>
  );
}
