/** Where the time of a message goes: its parts and events at each commit. Pure. */
import type { BudgetChart, BudgetColumn, BudgetSeries, EventColumn } from "@/api/types";
import { numbersOf } from "./statistics";
import { formatCount } from "./units";

type PartKey = Exclude<keyof BudgetSeries["parts_ns"], "overlap">;

export type Part = { key: PartKey; label: string; fill: string };

/** The stacked parts, from the bottom. Their means add up to the measured time and the overlap. */
export const PARTS: Part[] = [
  { key: "sender_user", label: "sender, user", fill: "var(--data-1)" },
  { key: "sender_kernel", label: "sender, kernel", fill: "var(--data-1-soft)" },
  { key: "receiver_user", label: "receiver, user", fill: "var(--data-2)" },
  { key: "receiver_kernel", label: "receiver, kernel", fill: "var(--data-2-soft)" },
  { key: "ready", label: "waiting for a CPU", fill: "var(--data-4)" },
  { key: "asleep", label: "asleep", fill: "var(--rule-strong)" },
];

export const EVENTS: { key: keyof BudgetSeries["events"]; label: string }[] = [
  { key: "waits", label: "context switches" },
  { key: "preemptions", label: "preemptions" },
  { key: "migrations", label: "migrations" },
  { key: "page_faults", label: "page faults" },
];

export type PerMessage = { mean: number; q1: number; q3: number };

export type Budget = {
  ordinal: number;
  parts_ns: Record<keyof BudgetSeries["parts_ns"], PerMessage>;
  /** `null` if the system does not count the event. */
  events: Record<keyof BudgetSeries["events"], PerMessage | null>;
};

/** The budgets of a series, oldest first: the newest run of each commit. */
export function budgetsOf({ commit_ordinals, parts_ns, events }: BudgetSeries): Budget[] {
  const ordinals = numbersOf(commit_ordinals);
  return ordinals.flatMap((ordinal, place) =>
    ordinals[place + 1] === ordinal
      ? []
      : [
          {
            ordinal,
            parts_ns: mapped(parts_ns, (column) => at(column, place) ?? NOTHING),
            events: mapped(events, (column) => at(column, place)),
          },
        ],
  );
}

/** The newest budget of each series that has one. */
export function newestBudgets(chart: BudgetChart | undefined): ReadonlyMap<number, Budget> {
  const newest = chart?.series.flatMap((series) => {
    const budget = budgetsOf(series).at(-1);
    return budget === undefined ? [] : [[series.series_id, budget] as const];
  });
  return new Map(newest);
}

/** The parts that any budget has. Where the system does not count waiting, sleep includes it. */
export function partsIn(budgets: Iterable<Budget>): Part[] {
  const all = [...budgets];
  return PARTS.filter(({ key }) => all.some(({ parts_ns }) => parts_ns[key].mean > 0));
}

/** The sum of the stacked parts. */
export function stackedNs({ parts_ns }: Budget): number {
  return PARTS.reduce((sum, { key }) => sum + parts_ns[key].mean, 0);
}

/** The measured time: less than the stacked parts if ends ran at the same time. */
export function elapsedNs(budget: Budget): number {
  return stackedNs(budget) - budget.parts_ns.overlap.mean;
}

/** Less is rounding. */
const OVERLAP_MIN = 0.01;

/** The share of the measured time in which both sides ran; `null` if they did not. */
export function overlapOf(budget: Budget): number | null {
  const share = budget.parts_ns.overlap.mean / elapsedNs(budget);
  return share > OVERLAP_MIN ? share : null;
}

/** `both sides ran together for 12 % of the time`; `null` if they did not. */
export function overlapText(budget: Budget): string | null {
  const share = overlapOf(budget);
  return share === null ? null : `both sides ran together for ${percent(share)} of the time`;
}

/** The shares of the stacked parts by side. */
export function sharesOf(budget: Budget) {
  const whole = stackedNs(budget) || 1;
  const share = (...keys: PartKey[]) => keys.reduce((sum, key) => sum + budget.parts_ns[key].mean, 0) / whole;
  return [
    { name: "sender", share: share("sender_user", "sender_kernel") },
    { name: "receiver", share: share("receiver_user", "receiver_kernel") },
    { name: "waiting", share: share("ready") },
    { name: "asleep", share: share("asleep") },
  ];
}

/** `sender 42 %, receiver 45 %, waiting 3 %, asleep 10 %`; parts without time are left out. */
export function sharesText(budget: Budget): string {
  return sharesOf(budget)
    .filter(({ share }) => share > 0)
    .map(({ name, share }) => `${name} ${percent(share)}`)
    .join(", ");
}

/** A share in whole percents; a small one is not 0 %. */
export function percent(share: number): string {
  return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

/** A number of events per message, with three digits, at most three of them decimals. */
export function formatEvents(count: number): string {
  if (count > 0 && count < 0.001) return "< 0.001";
  return count < 100
    ? String(Number(Number(count.toPrecision(3)).toFixed(3)))
    : formatCount(Math.round(count));
}

const NOTHING: PerMessage = { mean: 0, q1: 0, q3: 0 };

function at({ mean, q1, q3 }: BudgetColumn | EventColumn, place: number): PerMessage | null {
  const value = mean[place];
  return value == null ? null : { mean: value, q1: q1[place] ?? value, q3: q3[place] ?? value };
}

function mapped<Key extends string, From, To>(record: Record<Key, From>, to: (value: From) => To) {
  return Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, to(value)])) as Record<
    Key,
    To
  >;
}
