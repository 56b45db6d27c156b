/** The ranking of the recommendation, and folded those of other machines and methodologies, with their assumptions. */
import { Link } from "@tanstack/react-router";
import { Fragment, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { AdviceGroup, RankedTransport } from "@/api/types";
import { type ChartTable, DataTable, num, tableOf, word } from "@/components/chart/DataTable";
import { Button, Fold, TextButton } from "@/components/ui/controls";
import { ErrorState, Section, Skeleton } from "@/components/ui/states";
import { type Head, numeric, Table, unseen } from "@/components/ui/Table";
import { CommandLine, Sentences, TimeText } from "@/components/ui/text";
import { ascending } from "@/lib/collections";
import { toPoint } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { intervalText, shareBelow } from "@/lib/statistics";
import { counted, formatBytes, formatCount, formatNs, formatShare } from "@/lib/units";
import { receiveName } from "@/lib/vocabulary";
import {
  answerOf,
  behindText,
  belowTexts,
  changeText,
  groupKey,
  groupName,
  keyOf,
  medianOf,
  nameAt,
  nameIn,
  placeName,
  placesOf,
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
  const { places, others } = placesOf(data.groups);
  const shown = (group: AdviceGroup, name: string) => (
    <Group project={project} group={group} name={name} by={data.by} buckets={buckets} onLonger={onLonger} />
  );
  return (
    <div aria-busy={isBehind}>
      {places.map((group, index) =>
        index === 0 ? (
          <Section key={groupKey(group)} title={placeName(group)}>
            {shown(group, placeName(group))}
          </Section>
        ) : (
          <Fold
            key={groupKey(group)}
            summary={
              <>
                <strong>{placeName(group)}</strong> {answerOf(group)}
              </>
            }
          >
            {shown(group, placeName(group))}
          </Fold>
        ),
      )}
      {others.length > 0 && (
        <Fold summary="Measured differently">
          {others.map((group) => {
            const name = groupName(group, data.groups);
            return (
              <Section key={groupKey(group)} title={name}>
                {shown(group, name)}
              </Section>
            );
          })}
        </Fold>
      )}
      {data.assumptions.length > 0 && (
        <Fold summary="Assumptions">
          <Sentences of={data.assumptions} className="cautions" />
        </Fold>
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

/** One group: ranking, sensitivity, and folded its crossovers and unranked transports. */
export function Group({ project, group, name, by, buckets, onLonger }: GroupProps) {
  const { ranking, not_ranked, crossovers, would_change } = group;
  const hasTies = ranking.some(({ behind_first }) => behind_first?.is_sure === false);
  return (
    <>
      {group.oversubscribed && <p className="chart-summary warning">{OVERSUBSCRIBED}.</p>}
      {ranking.length === 0 ? (
        <p className="section-note">Measurements cover too few of these messages.</p>
      ) : (
        <>
          <p className="chart-summary">
            95 % CI of the ratio to the fastest.{" "}
            {hasTies && (
              <>
                <span className="standing standing-equal" aria-hidden="true" />
                Tied.{" "}
              </>
            )}
            {belowTexts(group).join(" ")}
          </p>
          <RankingTable
            project={project}
            label={`Ranking, ${name}`}
            group={group}
            by={by}
            median_bytes={medianOf(buckets)}
          />
          <p className="section-note">
            {would_change.length === 0 && "Holds for all measured sizes."}
            {would_change.map((change) => (
              <Fragment key={change.factor}>
                {changeText(group, change)}{" "}
                <Button className="text-button try" onClick={() => onLonger(change.factor)}>
                  Try
                </Button>{" "}
              </Fragment>
            ))}
          </p>
          {crossovers.length > 0 && (
            <Fold summary={counted(crossovers.length, "crossover size")}>
              <DataTable title={`Crossover sizes, ${name}`} table={crossingsTable(group, buckets)} />
            </Fold>
          )}
          {not_ranked.length > 0 && (
            <Fold summary={`${formatCount(not_ranked.length)} not ranked`}>
              <dl className="not-ranked">
                {not_ranked.map((line) => (
                  <div key={keyOf(line)}>
                    <dt>{nameIn(group, line)}</dt>
                    <dd className="muted">{line.because}</dd>
                  </div>
                ))}
              </dl>
            </Fold>
          )}
        </>
      )}
    </>
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

/** Slower transports are shown on request. */
const ROWS_MIN = 6;

/** The ranked transports of a group. Rows move when the ranking changes. */
function RankingTable({ project, label, group, by, median_bytes }: RankingTableProps) {
  const { ranking } = group;
  const body = useRef<HTMLTableSectionElement>(null);
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? ranking : ranking.slice(0, ROWS_MIN);
  useMovingRows(body, rows.map(keyOf).join("\n"));
  const most_ns = ranking.reduce((most, { latency_ns }) => Math.max(most, latency_ns[by]), 1);
  const counted = COUNTED.filter(({ figure }) => ranking.some((line) => line[figure] !== null));
  return (
    <>
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
          {rows.map((line) => (
            <tr key={keyOf(line)} data-key={keyOf(line)} data-standing={standingOf(line)}>
              <th scope="row" title={line.transport.title}>
                <span className="standing" aria-hidden="true" />
                <Name project={project} name={nameIn(group, line)} line={line} median_bytes={median_bytes} />
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
                    {value === null ? <span className="muted">–</span> : text(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </Table>
      {ranking.length > ROWS_MIN && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${formatCount(ranking.length)}`}
        </TextButton>
      )}
    </>
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
