/** The transports of a group, the first one first. Rows are the same from one answer to the next, and move. */
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import type { AdviceGroup, RankedTransport } from "@/api/types";
import { QuantityText } from "@/components/ui/QuantityText";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toPoint } from "@/lib/paths";
import { formatBytes, formatCount, quantityOfNs } from "@/lib/units";
import { receiveName } from "@/lib/vocabulary";
import { behindText, cpuText, keyOf, nameIn, pointFor, processorsText } from "../data";
import { FIGURES, type Figure } from "../search";
import { useMovingRows } from "../useMovingRows";

type Props = {
  project: string;
  label: string;
  group: AdviceGroup;
  by: Figure;
  /** The middle one of the messages, in bytes: whose figures a name leads to. */
  median_bytes: number;
};

/** What is not known of every transport; a column that is of none is left out. */
const COUNTED = [
  { figure: "cpu_ns_per_message", head: "CPU a message", text: cpuText },
  { figure: "wakes_per_message", head: "wake-ups a message", text: (count: number) => count.toFixed(2) },
  { figure: "cpus", head: "CPUs at this rate", text: processorsText },
  {
    figure: "wakes_per_second",
    head: "wake-ups a second",
    text: (count: number) => formatCount(Math.round(count)),
  },
] as const;

export function RankingTable({ project, label, group, by, median_bytes }: Props) {
  const { ranking } = group;
  const body = useRef<HTMLTableSectionElement>(null);
  useMovingRows(body, ranking.map(keyOf).join("\n"));
  const most_ns = ranking.reduce((most, { latency_ns }) => Math.max(most, latency_ns[by]), 1);
  const counted = COUNTED.filter(({ figure }) => ranking.some((line) => line[figure] !== null));
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
            {FIGURES.map((figure) => (
              <th
                key={figure}
                scope="col"
                className="number"
                aria-sort={figure === by ? "ascending" : undefined}
              >
                {figure}
              </th>
            ))}
            <th scope="col">waits</th>
            {counted.map(({ figure, head }) => (
              <th key={figure} scope="col" className="number brief-head">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {ranking.map((line) => (
            <tr key={keyOf(line)} data-key={keyOf(line)} data-standing={standingOf(line)}>
              <th scope="row">
                <span className="standing" aria-hidden="true" />
                <Name project={project} name={nameIn(group, line)} line={line} median_bytes={median_bytes} />
                <span className="line sureness">{line.transport.title}</span>
              </th>
              <td className="number">
                <BehindCell line={line} />
              </td>
              <td aria-hidden="true">
                <span className="amount" style={{ width: `${(100 * line.latency_ns[by]) / most_ns}%` }} />
              </td>
              {FIGURES.map((figure) => (
                <td key={figure} className="number">
                  <QuantityText
                    quantity={quantityOfNs(Math.round(line.latency_ns[figure]))}
                    plain={figure !== by}
                  />
                </td>
              ))}
              <td>{receiveName(line.receive)}</td>
              {counted.map(({ figure, text }) => {
                const value = line[figure];
                return (
                  <td key={figure} className="number">
                    {value === null ? <span className="muted">not counted</span> : text(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

type NameProps = { project: string; name: string; line: RankedTransport; median_bytes: number };

/** Leads to what was measured at the size that is nearest to most messages. */
function Name({ project, name, line, median_bytes }: NameProps) {
  const point = pointFor(line, median_bytes);
  if (point === undefined) return name;
  return (
    <Link
      {...toPoint(project, point.series_id, point.run_id)}
      title={`What was measured at ${formatBytes(point.message_bytes)}`}
    >
      {name}
    </Link>
  );
}

function BehindCell({ line: { behind_first } }: { line: RankedTransport }) {
  if (behind_first === null) return <span className="muted">first</span>;
  const { behind, interval } = behindText(behind_first);
  return (
    <>
      <span className="line">
        {behind} <span className="interval">{interval}</span>
      </span>
      {!behind_first.is_sure && (
        <span className="line sureness">
          {interval === "" ? "too few repetitions to tell" : "cannot be told from the first"}
        </span>
      )}
    </>
  );
}

/** The first, one that may be as fast as it, or one that is not. */
function standingOf({ behind_first }: RankedTransport): "first" | "equal" | "behind" {
  if (behind_first === null) return "first";
  return behind_first.is_sure ? "behind" : "equal";
}
