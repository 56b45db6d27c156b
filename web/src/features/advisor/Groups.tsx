/** Rankings by group, with their assumptions. */
import { Link } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useRef } from "react";
import type { AdviceGroup, RankedTransport } from "@/api/types";
import { type ChartTable, DataTable, num, tableOf, word } from "@/components/chart/DataTable";
import { Button } from "@/components/ui/controls";
import { ErrorState, Section, Skeleton } from "@/components/ui/states";
import { type Head, numeric, Table, unseen } from "@/components/ui/Table";
import { CommandLine, Sentences, TimeText } from "@/components/ui/text";
import { ascending } from "@/lib/collections";
import { toPoint } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { intervalText, shareBelow } from "@/lib/statistics";
import { formatBytes, formatCount, formatNs, formatShare } from "@/lib/units";
import { receiveName } from "@/lib/vocabulary";
import {
  behindText,
  belowTexts,
  changeText,
  groupKey,
  groupName,
  keyOf,
  medianOf,
  nameAt,
  nameIn,
  pointFor,
  processorsText,
} from "./data";
import { FIGURES, type Figure } from "./search";
import type { Bucket } from "./sizes";
import type { useAdvice } from "./useAdvice";

type Props = {
  project: string;
  advice: ReturnType<typeof useAdvice>;
  isEmpty: boolean;
  /** The command that adds results. */
  command: string;
  buckets: Bucket[];
  onLonger: (factor: number) => void;
};

export function Groups({ project, advice, isEmpty, command, buckets, onLonger }: Props) {
  const { data, error, refetch, isBehind } = advice;
  if (isEmpty) return <p className="section-note">Drag a bar up to rank transports.</p>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />;
  if (data === undefined) {
    return (
      <div role="status" aria-label="Loading" className="section">
        <Skeleton height="16rem" />
      </div>
    );
  }
  if (data.groups.length === 0) {
    return (
      <Section title="Nothing to rank">
        <p>To measure these sizes, run:</p>
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
        <Section title="Assumptions">
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

/** One group: ranking, sensitivity, crossovers and unranked transports. */
export function Group({ project, group, name, by, buckets, onLonger }: GroupProps) {
  const { ranking, not_ranked, crossovers, would_change } = group;
  return (
    <Section title={name}>
      {group.oversubscribed && <p className="chart-summary warning">{OVERSUBSCRIBED}.</p>}
      {ranking.length === 0 ? (
        <p className="section-note">Measurements cover too few of these messages.</p>
      ) : (
        <>
          <p className="chart-summary">
            Ranked by {by}; 95 % CI of the ratio to the fastest.
            {ranking.some(({ behind_first }) => behind_first?.is_sure === false) && (
              <>
                {" "}
                <span className="standing standing-equal" aria-hidden="true" />
                Tied.
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
              <h3>Sensitivity</h3>
              {would_change.length === 0 ? (
                <p className="muted">Holds for all measured sizes.</p>
              ) : (
                <ul>
                  {would_change.map((change) => (
                    <li key={change.factor}>
                      {changeText(group, change)}{" "}
                      <Button className="text-button try" onClick={() => onLonger(change.factor)}>
                        Try
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
            </div>
            {not_ranked.length > 0 && (
              <div>
                <h3>Not ranked</h3>
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
              <h3>Crossover sizes</h3>
              {crossovers.length === 0 ? (
                <p className="muted">None measured</p>
              ) : (
                <DataTable title={`Crossover sizes, ${name}`} table={crossingsTable(group, buckets)} />
              )}
            </div>
          </div>
        </>
      )}
    </Section>
  );
}

function crossingsTable(group: AdviceGroup, buckets: Bucket[]): ChartTable {
  const rows = () => group.crossovers.toSorted((a, b) => ascending(a.x, b.x));
  return tableOf(`${group.machine}-crossings`, rows, [
    num(
      "Size, 95 % CI",
      "message_bytes",
      ({ x }) => x,
      (_, crossing) => intervalText(crossing),
    ),
    word("Faster below", "faster_below", ({ below }) => nameAt(group, below)),
    word("Faster above", "faster_above", ({ above }) => nameAt(group, above)),
    num("Messages below", "share_below", ({ x }) => shareBelow(buckets, x), formatShare),
  ]);
}

type RankingTableProps = {
  project: string;
  label: string;
  group: AdviceGroup;
  by: Figure;
  /** The median message size in bytes: names link to its measurement. */
  median_bytes: number;
};

const COUNTED = [
  { figure: "cpu_ns_per_message", head: "CPU per message", text: (ns: number) => formatNs(Math.round(ns)) },
  { figure: "wakes_per_message", head: "Wake-ups per message", text: (count: number) => count.toFixed(2) },
  { figure: "cpus", head: "CPUs at this rate", text: processorsText },
  {
    figure: "wakes_per_second",
    head: "Wake-ups per second",
    text: (count: number) => formatCount(Math.round(count)),
  },
] as const;

/** The ranked transports of a group. Rows move when the ranking changes. */
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
        "Transport",
        numeric("Vs fastest"),
        unseen(`${by}, bar`),
        ...FIGURES.map(
          (figure): Head => ({
            name: figure,
            className: "number",
            "aria-sort": figure === by ? "ascending" : undefined,
          }),
        ),
        "Receive",
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
                <TimeText ns={Math.round(line.latency_ns[figure])} plain={figure !== by} />
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
  const { series_id, run_id, message_bytes } = point;
  return (
    <Link {...toPoint(project, series_id, run_id)} title={`Measured at ${formatBytes(message_bytes)}`}>
      {name}
    </Link>
  );
}

function BehindCell({ line: { behind_first } }: { line: RankedTransport }) {
  if (behind_first === null) return <span className="muted">fastest</span>;
  const { behind, interval } = behindText(behind_first);
  return (
    <>
      <span className="line">
        {behind} <span className="interval">{interval}</span>
      </span>
      {!behind_first.is_sure && (
        <span className="line sureness">{interval === "" ? "too few repetitions" : "tied"}</span>
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

/** Animates rows, identified by `data-key`, when `order`, their keys, changes. */
function useMovingRows(body: RefObject<HTMLTableSectionElement | null>, order: string): void {
  const tops = useRef(new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows move when the order changes.
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
