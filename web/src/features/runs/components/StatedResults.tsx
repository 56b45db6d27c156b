/** Figures that another tool states without samples: each is its word, and stands apart from what was measured. */
import { Link } from "@tanstack/react-router";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { benchmarkName } from "@/lib/cases";
import { intervalOf, NOT_TOLD, nsPerOperation } from "@/lib/imports";
import { toPoint } from "@/lib/paths";
import { formatCount, formatNs, quantityOfDividedNs, quantityOfNs } from "@/lib/units";
import { type ImportedTable, type StatedResult, statedColumns } from "../data";

type Props = { project: string; runId: string; table: ImportedTable<StatedResult> };

export function StatedResults({ project, runId, table: { time, isOfOne, results } }: Props) {
  const { statistic, hasInterval, times } = statedColumns(results);
  return (
    <>
      <ScrollRegion label={`Stated, ${time}`}>
        <table className="table table-dense">
          <thead>
            <tr>
              <th scope="col">benchmark</th>
              {statistic === null && <th scope="col">statistic</th>}
              <th scope="col" className="number">
                {statistic ?? "figure"}
              </th>
              {!isOfOne && (
                <th scope="col" className="number" title="the figure over the operations of a time">
                  an operation
                </th>
              )}
              {hasInterval && (
                <th scope="col" className="number">
                  interval
                </th>
              )}
              {times.map(({ label }) => (
                <th key={label} scope="col" className="number">
                  {label}
                </th>
              ))}
              <th scope="col" className="number">
                made of
              </th>
            </tr>
          </thead>
          <tbody>
            {results.map(({ series_id, case: kase, methodology, summary }) => {
              const each = nsPerOperation(summary.center_ns, kase);
              const interval = intervalOf(summary);
              return (
                <tr key={series_id}>
                  <th scope="row" className="name">
                    <Link {...toPoint(project, series_id, runId)}>{benchmarkName(kase)}</Link>
                  </th>
                  {statistic === null && <td className="muted">{methodology.statistic}</td>}
                  <td className="number">
                    <QuantityText plain quantity={quantityOfNs(summary.center_ns)} />
                  </td>
                  {each !== null && (
                    <td className="number">
                      <QuantityText plain quantity={quantityOfDividedNs(each)} />
                    </td>
                  )}
                  {hasInterval && (
                    <td className="number">
                      {interval === null ? (
                        <NotTold />
                      ) : (
                        `${formatNs(interval[0])} to ${formatNs(interval[1])}`
                      )}
                    </td>
                  )}
                  {times.map(({ label, of }) => {
                    const ns = of(summary);
                    return (
                      <td key={label} className="number">
                        {ns === null ? <NotTold /> : <QuantityText plain quantity={quantityOfNs(ns)} />}
                      </td>
                    );
                  })}
                  <td className="number">
                    {summary.count === null ? <NotTold /> : `${formatCount(summary.count)} samples`}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="section-note">
        These figures are the tool's word: their samples are not in the file. They are shown, and compared
        with nothing.
      </p>
    </>
  );
}

function NotTold() {
  return <span className="muted">{NOT_TOLD}</span>;
}
