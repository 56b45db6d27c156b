/** What another tool measured, with samples: benchmark by benchmark. */
import { Link } from "@tanstack/react-router";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { benchmarkName } from "@/lib/cases";
import { nsPerOperation } from "@/lib/imports";
import { toPoint } from "@/lib/paths";
import { formatCount, formatNs, quantityOfDividedNs, quantityOfNs } from "@/lib/units";
import { type ImportedTable, type MeasuredResult, sharedDomain } from "../data";

type Props = { project: string; runId: string; table: ImportedTable<MeasuredResult> };

export function ImportedResults({ project, runId, table: { time, isOfOne, results } }: Props) {
  const domain = sharedDomain(results);
  return (
    <>
      <ScrollRegion label={`Measured, ${time}`}>
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">benchmark</th>
              <th scope="col" className="number">
                p50
              </th>
              {!isOfOne && (
                <th scope="col" className="number" title="p50 over the operations of a time">
                  an operation
                </th>
              )}
              <th scope="col">
                {formatNs(domain[0])} to {formatNs(domain[1])}
              </th>
              <th scope="col" className="number" title="from p25 to p75">
                middle half
              </th>
              <th scope="col" className="number">
                min
              </th>
              <th scope="col" className="number">
                max
              </th>
              <th scope="col" className="number">
                samples
              </th>
              <th scope="col" className="number">
                repetitions
              </th>
            </tr>
          </thead>
          <tbody>
            {results.map(({ series_id, case: kase, point }) => {
              const { min, p25, p50, p75, max } = point.latency_ns;
              const each = nsPerOperation(p50, kase);
              return (
                <tr key={series_id}>
                  <th scope="row" className="name">
                    <Link {...toPoint(project, series_id, runId)}>{benchmarkName(kase)}</Link>
                  </th>
                  <td className="number">
                    <QuantityText quantity={quantityOfNs(p50)} />
                  </td>
                  {each !== null && (
                    <td className="number">
                      <QuantityText plain quantity={quantityOfDividedNs(each)} />
                    </td>
                  )}
                  <td>
                    <LatencyShape latency={point.latency_ns} domain={domain} width={132} />
                  </td>
                  <td className="number">
                    {formatNs(p25)} to {formatNs(p75)}
                  </td>
                  <td className="number">
                    <QuantityText plain quantity={quantityOfNs(min)} />
                  </td>
                  <td className="number">
                    <QuantityText plain quantity={quantityOfNs(max)} />
                  </td>
                  <td className="number">{formatCount(point.count)}</td>
                  <td className="number">{formatCount(point.repetition_count)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">
        Shapes: the middle half as a band, the median and p99 as ticks, a dot at the maximum, on one
        logarithmic axis. What became of messages, and where the ends ran, is not told.
      </p>
    </>
  );
}
