/** All that was measured, a ranking each, and what is assumed of them; and what stands there without any. */
import { Link } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useRef } from "react";
import type { AdviceGroup, RankedTransport } from "@/api/types";
import { DataTable } from "@/components/chart/DataTable";
import { Button } from "@/components/ui/controls";
import { ErrorState, Section, Skeleton } from "@/components/ui/states";
import { type Head, numeric, Table, unseen } from "@/components/ui/Table";
import { CommandLine, QuantityText, Sentences } from "@/components/ui/text";
import { toPoint } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { formatBytes, formatCount, quantityOfNs } from "@/lib/units";
import { receiveName } from "@/lib/vocabulary";
import {
  behindText,
  belowTexts,
  changeText,
  cpuText,
  groupKey,
  groupName,
  keyOf,
  medianOf,
  nameIn,
  pointFor,
  processorsText,
} from "./data";
import { FIGURES, type Figure } from "./search";
import type { Bucket } from "./sizes";
import { crossingsTable } from "./tables";
import type { useAdvice } from "./useAdvice";

type Props = {
  project: string;
  advice: ReturnType<typeof useAdvice>;
  isEmpty: boolean;
  /** What would measure something. */
  command: string;
  buckets: Bucket[];
  onLonger: (factor: number) => void;
};

export function Groups({ project, advice, isEmpty, command, buckets, onLonger }: Props) {
  const { data, error, refetch, isBehind } = advice;
  if (isEmpty) return <p className="section-note">Drag a bar up, and transports are ranked for it.</p>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />;
  if (data === undefined) {
    return (
      <div role="status" aria-label="Ranking" className="section">
        <Skeleton height="16rem" />
      </div>
    );
  }
  if (data.groups.length === 0) {
    return (
      <Section title="Nothing to rank">
        <p>Nothing was measured here that these messages could be put together of. This measures some:</p>
        <CommandLine command={`${command} --upload ${window.location.origin}`} />
      </Section>
    );
  }
  return (
    <div aria-busy={isBehind}>
      {data.groups.map((group) => (
        <Group
          key={groupKey(group)}
          project={project}
          group={group}
          name={groupName(group, data.groups)}
          by={data.by}
          buckets={buckets}
          onLonger={onLonger}
        />
      ))}
      {data.assumptions.length > 0 && (
        <Section title="What is assumed">
          <Sentences of={data.assumptions} className="cautions" />
        </Section>
      )}
    </div>
  );
}

type GroupProps = {
  project: string;
  group: AdviceGroup;
  name: string;
  by: Figure;
  buckets: Bucket[];
  onLonger: (factor: number) => void;
};

/** One place at which messages were measured: who comes first there, what would change it, and what has no rank. */
export function Group({ project, group, name, by, buckets, onLonger }: GroupProps) {
  const { ranking, not_ranked, crossovers, would_change } = group;
  return (
    <Section title={name}>
      {group.oversubscribed && <p className="chart-summary warning">{OVERSUBSCRIBED}.</p>}
      {ranking.length === 0 ? (
        <p className="section-note">
          Nothing has a rank here: what was measured leaves out too many messages.
        </p>
      ) : (
        <>
          <p className="chart-summary">
            By {by}, with the 95 % interval of how much longer than over the first.
            {ranking.some(({ behind_first }) => behind_first?.is_sure === false) && (
              <>
                {" "}
                <span className="standing standing-equal" aria-hidden="true" />
                What cannot be told from the first may be as fast.
              </>
            )}{" "}
            {belowTexts(group).join(" ")}
          </p>
          <RankingTable
            project={project}
            label={`Ranking, ${name}`}
            group={group}
            by={by}
            median_bytes={medianOf(buckets)}
          />
          <div className="advice-parts">
            <div>
              <h3>What would change it</h3>
              {would_change.length === 0 ? (
                <p className="muted">No other length of all messages, as far as was measured.</p>
              ) : (
                <ul>
                  {would_change.map((change) => (
                    <li key={change.factor}>
                      {changeText(group, change)}{" "}
                      <Button className="text-button try" onClick={() => onLonger(change.factor)}>
                        See it
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
            </div>
            {not_ranked.length > 0 && (
              <div>
                <h3>Without a rank</h3>
                <dl className="not-ranked">
                  {not_ranked.map((line) => (
                    <div key={keyOf(line)}>
                      <dt>{nameIn(group, line)}</dt>
                      <dd className="muted">{line.because}</dd>
                    </div>
                  ))}
                </dl>
              </div>
            )}
            <div className="advice-crossings">
              <h3>Where two of them cross</h3>
              {crossovers.length === 0 ? (
                <p className="muted">Nowhere, at the sizes at which both were measured.</p>
              ) : (
                <DataTable title={`Crossings, ${name}`} table={crossingsTable(group, buckets)} />
              )}
            </div>
          </div>
        </>
      )}
    </Section>
  );
}

type RankingTableProps = {
  project: string;
  label: string;
  group: AdviceGroup;
  by: Figure;
  /** The middle one of the messages, in bytes: whose figures a name leads to. */
  median_bytes: number;
};

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

/** The transports of a group, the first one first. Rows are the same from one answer to the next, and move. */
function RankingTable({ project, label, group, by, median_bytes }: RankingTableProps) {
  const { ranking } = group;
  const body = useRef<HTMLTableSectionElement>(null);
  useMovingRows(body, ranking.map(keyOf).join("\n"));
  const most_ns = ranking.reduce((most, { latency_ns }) => Math.max(most, latency_ns[by]), 1);
  const counted = COUNTED.filter(({ figure }) => ranking.some((line) => line[figure] !== null));
  return (
    <Table
      label={label}
      className="table ranked"
      heads={[
        "transport",
        numeric("beside the first"),
        unseen(`${by}, drawn`),
        ...FIGURES.map(
          (figure): Head => ({
            name: figure,
            className: "number",
            "aria-sort": figure === by ? "ascending" : undefined,
          }),
        ),
        "waits",
        ...counted.map(({ head }): Head => ({ name: head, className: "number brief-head" })),
      ]}
    >
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
    </Table>
  );
}

type NameProps = { project: string; name: string; line: RankedTransport; median_bytes: number };

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

function standingOf({ behind_first }: RankedTransport): "first" | "equal" | "behind" {
  if (behind_first === null) return "first";
  return behind_first.is_sure ? "behind" : "equal";
}

const MOVE_MS = 260;
const STILL = "(prefers-reduced-motion: reduce)";

/** Rows are told apart by their `data-key`; `order` is their keys, which say when they may have moved. */
function useMovingRows(body: RefObject<HTMLTableSectionElement | null>, order: string): void {
  const tops = useRef(new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is what moves the rows.
  useLayoutEffect(() => {
    const before = tops.current;
    tops.current = new Map();
    const isStill = window.matchMedia?.(STILL).matches ?? true;
    for (const row of body.current?.rows ?? []) {
      const key = row.dataset.key ?? "";
      const [was, is] = [before.get(key), row.offsetTop];
      tops.current.set(key, is);
      if (isStill || was === undefined || was === is) continue;
      row.animate([{ transform: `translateY(${was - is}px)` }, { transform: "none" }], {
        duration: MOVE_MS,
        easing: "ease-out",
      });
    }
  }, [order, body]);
}
