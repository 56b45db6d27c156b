/** The measured cases of one scenario in a dense table, each with its shape on one shared axis. */
import { Link } from "@tanstack/react-router";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { sizeName } from "@/lib/cases";
import { toPoint } from "@/lib/paths";
import { lossMark } from "@/lib/points";
import { formatCount, formatNs, quantityOfNs, quantityOfRate } from "@/lib/units";
import { latencyMeaning, placementName, scenarioName } from "@/lib/vocabulary";
import { columnsOf, type MeasuredResult, setApart, sharedDomain } from "../data";

type Props = { project: string; runId: string; scenario: string; results: MeasuredResult[] };

export function Results({ project, runId, scenario, results }: Props) {
  const domain = sharedDomain(results);
  const meaning = latencyMeaning(scenario);
  const columns = columnsOf(results);
  return (
    <>
      <ScrollRegion label={`Results, ${scenarioName(scenario)}`}>
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
              <th scope="col">
                {formatNs(domain[0])} to {formatNs(domain[1])}
              </th>
              <th scope="col" className="number">
                p50
              </th>
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
                  <th
                    scope="col"
                    className="number"
                    title="processor time of all ends over messages delivered"
                  >
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
            {results.map((result) => (
              <Row
                key={result.series_id}
                project={project}
                runId={runId}
                result={result}
                domain={domain}
                columns={columns}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">
        {meaning !== null && `Times: ${meaning}. `}Shapes: the middle half as a band, the median and p99 as
        ticks, a line from the minimum to p99, a dot at the maximum, on one logarithmic axis for all rows of
        the table.
      </p>
    </>
  );
}

type RowProps = {
  project: string;
  runId: string;
  result: MeasuredResult;
  domain: [number, number];
  columns: ReturnType<typeof columnsOf>;
};

function Row({ project, runId, result, domain, columns }: RowProps) {
  const { point, transport, observed } = result;
  const { latency_ns: latency } = point;
  return (
    <tr>
      <th scope="row">
        <Link {...toPoint(project, result.series_id, runId)}>{transport.slug}</Link>
      </th>
      <td className="muted">{result.case.mode}</td>
      <td className="muted">{placementName(result.case.placement)}</td>
      <td className="number">{sizeName(result.case)}</td>
      {columns.hasParameters && <td className="muted brief">{setApart(result).join(", ")}</td>}
      <td>
        <LatencyShape latency={latency} domain={domain} />
      </td>
      <td className="number">
        <QuantityText quantity={quantityOfNs(latency.p50)} />
      </td>
      {(["p98", "p99", "max"] as const).map((key) => (
        <td key={key} className="number">
          <QuantityText plain quantity={quantityOfNs(latency[key])} />
        </td>
      ))}
      {columns.hasRate && (
        <td className="number">
          {point.bytes_per_second != null && (
            <QuantityText quantity={quantityOfRate(point.bytes_per_second)} />
          )}
        </td>
      )}
      {columns.hasDueTimes && (
        <>
          <td className="number">{observed.late == null ? "" : formatCount(observed.late)}</td>
          <td className="number">{observed.missed == null ? "" : formatCount(observed.missed)}</td>
          <td className="number">
            {observed.cpu_ns_per_message != null && (
              <QuantityText plain quantity={quantityOfNs(observed.cpu_ns_per_message)} />
            )}
          </td>
        </>
      )}
      <td className={point.lossy ? "number warning" : "number"}>
        {point.lossy ? lossMark(point, result.case) : formatCount(point.delivered)}
      </td>
      <td className="number">
        {formatCount(point.repetition_count)}
        {point.disturbed_count > 0 && (
          <span className="warning" title={observed.disturbed.map(({ reason }) => reason).join("\n")}>
            {" "}
            ({formatCount(point.disturbed_count)} disturbed)
          </span>
        )}
      </td>
    </tr>
  );
}
