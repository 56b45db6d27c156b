/** One measured case: its shape on the axis of its table, its percentiles, and what they rest on. */
import { Link } from "@tanstack/react-router";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { QuantityText } from "@/components/ui/QuantityText";
import { sizeName } from "@/lib/cases";
import { toPoint } from "@/lib/paths";
import { acceptedText, lossMark, nsPerMessage, OVERSUBSCRIBED } from "@/lib/points";
import { formatCount, quantityOfDividedNs, quantityOfNs, quantityOfRate } from "@/lib/units";
import { placementName } from "@/lib/vocabulary";
import type { Columns, MeasuredResult } from "../data";

type Props = {
  project: string;
  runId: string;
  result: MeasuredResult;
  /** What sets it apart besides the columns that every result has. */
  apart: string[];
  /** The axis of its table; none where figures are not to be compared. */
  domain: [number, number] | null;
  columns: Columns;
};

export function ResultRow({ project, runId, result, apart, domain, columns }: Props) {
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
