/** The transports of a group, the first one first. Rows are the same from one answer to the next, and move. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import type { AdviceGroup, RankedLine } from "@/api/types";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toPoint } from "@/lib/paths";
import { formatBytes, quantityOfNs } from "@/lib/units";
import { behindText, cpuText, lineKey, lineName, measuredText, pointFor, processorText } from "../data";
import { FIGURES, type Figure } from "../search";
import { useMovingRows } from "../useMovingRows";

type Props = {
  project: string;
  label: string;
  ranking: AdviceGroup["ranking"];
  by: Figure;
  /** The middle one of the messages, in bytes: whose figures a name leads to. */
  median_bytes: number;
};

export function RankingTable({ project, label, ranking, by, median_bytes }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  useMovingRows(body, ranking.map(lineKey).join("\n"));
  const most_ns = ranking.reduce((most, { latency_ns }) => Math.max(most, latency_ns[by]), 1);
  const has = (figure: "cpu_ns_per_message" | "switches_per_message" | "cpu_share") =>
    ranking.some((line) => line[figure] !== null);
  const columns: { head: ReactNode; key: string; cell: (line: RankedLine) => ReactNode }[] = [
    ...FIGURES.map((figure) => ({
      key: figure,
      head: figure,
      cell: ({ latency_ns }: RankedLine) => (
        <QuantityText quantity={quantityOfNs(Math.round(latency_ns[figure]))} plain={figure !== by} />
      ),
    })),
    ...(has("cpu_ns_per_message")
      ? [
          {
            key: "cpu",
            head: "CPU a message",
            cell: (line: RankedLine) => textOf(line.cpu_ns_per_message, cpuText),
          },
        ]
      : []),
    ...(has("switches_per_message")
      ? [
          {
            key: "switches",
            head: "switches a message",
            cell: (line: RankedLine) => textOf(line.switches_per_message, (count) => count.toFixed(2)),
          },
        ]
      : []),
    ...(has("cpu_share")
      ? [
          {
            key: "share",
            head: "CPU at this rate",
            cell: (line: RankedLine) => textOf(line.cpu_share, processorText),
          },
        ]
      : []),
  ];
  return (
    <ScrollRegion label={label}>
      <table className="table ranked">
        <thead>
          <tr>
            <th scope="col">transport</th>
            <th scope="col" className="number">
              beside the first
            </th>
            <th scope="col">
              <span className="visually-hidden">{by}, drawn</span>
            </th>
            {columns.map(({ key, head }) => (
              <th key={key} scope="col" className="number" aria-sort={key === by ? "ascending" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {ranking.map((line) => (
            <tr key={lineKey(line)} data-key={lineKey(line)} data-standing={standingOf(line)}>
              <th scope="row">
                <span className="standing" aria-hidden="true" />
                <Name project={project} line={line} median_bytes={median_bytes} />
                <span className="line sureness">{measuredText(line)}</span>
              </th>
              <td className="number">
                <BehindCell line={line} />
              </td>
              <td aria-hidden="true">
                <span className="amount" style={{ width: `${(100 * line.latency_ns[by]) / most_ns}%` }} />
              </td>
              {columns.map(({ key, cell }) => (
                <td key={key} className="number">
                  {cell(line)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

type NameProps = { project: string; line: RankedLine; median_bytes: number };

/** Leads to what was measured at the size that is nearest to most messages. */
function Name({ project, line, median_bytes }: NameProps) {
  const point = pointFor(line, median_bytes);
  if (point === undefined) return lineName(line);
  return (
    <Link
      {...toPoint(project, point.series_id, point.run_id)}
      title={`${line.transport.title}: what was measured at ${formatBytes(point.message_bytes)}`}
    >
      {lineName(line)}
    </Link>
  );
}

function BehindCell({ line: { behind_first } }: { line: RankedLine }) {
  if (behind_first === null) return <span className="muted">first</span>;
  const { behind, interval } = behindText(behind_first);
  return (
    <>
      <span className="line">
        {behind} <span className="interval">{interval}</span>
      </span>
      {!behind_first.is_sure && <span className="line sureness">cannot be told from the first</span>}
    </>
  );
}

/** The first, one that may be as fast as it, or one that is not. */
function standingOf({ behind_first }: RankedLine): "first" | "equal" | "behind" {
  if (behind_first === null) return "first";
  return behind_first.is_sure ? "behind" : "equal";
}

function textOf(value: number | null, format: (value: number) => string): ReactNode {
  return value === null ? <span className="muted">not measured</span> : format(value);
}
