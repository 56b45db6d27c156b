/** A machine's state, environments and detectable changes over a year. Pure. */
import type { EnvironmentSummary, MachineDay, MachineDayState } from "@/api/types";
import { distinct } from "@/lib/collections";
import { formatDay } from "@/lib/time";
import { counted, formatShare } from "@/lib/units";
import { type FactChange, factChanges } from "./data";

export type CellState = MachineDayState | "none";

/** The states, least serious first. */
export const STATES = ["none", "unknown", "steady", "known-state", "drift", "suspect"] as const;

export const STATE_NAMES: Record<CellState, string> = {
  none: "No runs",
  unknown: "No canary readings",
  steady: "Steady",
  "known-state": "Known state",
  drift: "Drift",
  suspect: "Suspect",
};

/** A day, or a week if the history is long. */
export type Cell = {
  from: string;
  to: string;
  state: CellState;
  because: string[];
  run_count: number;
  /** Changes of environment that begin in it. */
  changes: EnvironmentChange[];
};

/** The facts that changed with a new environment. */
export type EnvironmentChange = { since: string; facts: FactChange[] };

const DAY_MS = 86_400_000;
/** A longer history has a cell per week. */
const CELLS_MAX = 60;

/** The cells from the first to the last day with runs, oldest first. */
export function cellsOf(days: readonly MachineDay[], changes: readonly EnvironmentChange[]): Cell[] {
  const [first, last] = [days[0], days.at(-1)].map((entry) =>
    entry === undefined ? 0 : Date.parse(entry.day),
  );
  if (first === undefined || last === undefined || days.length === 0) return [];
  const length = Math.round((last - first) / DAY_MS) + 1;
  const step = length > CELLS_MAX ? 7 : 1;
  // The last cell ends with the last day.
  const count = Math.ceil(length / step);
  const begin = last - (count * step - 1) * DAY_MS;
  const placeOf = (day: string) => Math.floor((Date.parse(day) - begin) / DAY_MS / step);
  return Array.from({ length: count }, (_, place) => {
    const own = days.filter(({ day }) => placeOf(day) === place);
    const state = worstOf(own);
    const start = begin + place * step * DAY_MS;
    return {
      from: dayOf(start),
      to: dayOf(start + (step - 1) * DAY_MS),
      state,
      because: distinct(own.filter((day) => day.state === state).flatMap(({ because }) => because ?? [])),
      run_count: own.reduce((sum, { run_count }) => sum + run_count, 0),
      changes: changes.filter(({ since }) => placeOf(since) === place),
    };
  });
}

function worstOf(days: readonly MachineDay[]): CellState {
  return STATES.findLast((state) => days.some((day) => day.state === state)) ?? "none";
}

function dayOf(moment_ms: number): string {
  return new Date(moment_ms).toISOString().slice(0, 10);
}

/** The changes between the environments of consecutive days, newest first. Facts are empty if they are not known. */
export function environmentChanges(
  days: readonly MachineDay[],
  environments: readonly EnvironmentSummary[],
): EnvironmentChange[] {
  const facts = new Map(environments.map(({ environment_id, stable }) => [environment_id, stable]));
  const changes = days.slice(1).flatMap(({ day, environment_id }, index) => {
    const before_id = days[index]?.environment_id;
    if (before_id === undefined || before_id === environment_id) return [];
    const [before, after] = [facts.get(before_id), facts.get(environment_id)];
    const changed = before === undefined || after === undefined ? [] : factChanges(before, after);
    return [{ since: day, facts: changed }];
  });
  return changes.reverse();
}

/** `os.kernel 6.1 → 6.2` */
function factText({ name, before, after }: FactChange): string {
  return `${name} ${before ?? "absent"} → ${after ?? "absent"}`;
}

export function changeText({ facts }: EnvironmentChange): string {
  return facts.length === 0 ? "environment changed" : facts.map(factText).join("; ");
}

/** A cell in words: `21 Nov 2026: Drift, canary wake +23 %, 3 runs`. */
export function cellText({ from, to, state, because, run_count, changes }: Cell): string {
  const when = from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`;
  const runs = run_count === 0 ? [] : [counted(run_count, "run")];
  return `${when}: ${[STATE_NAMES[state], ...because, ...runs, ...changes.map(changeText)].join(", ")}`;
}

/** The strip in a sentence, for readers who do not see it: `Last 53 weeks: 40 steady, 2 drift`. */
export function stripText(cells: readonly Cell[]): string {
  const unit = cells[0]?.from === cells[0]?.to ? "day" : "week";
  const counts = STATES.toReversed().flatMap((state) => {
    const count = cells.filter((cell) => cell.state === state).length;
    return count === 0 ? [] : [`${count} ${STATE_NAMES[state].toLowerCase()}`];
  });
  return `Last ${counted(cells.length, unit)}: ${counts.join(", ")}`;
}

/** The detectable change of the newest day; `null` with too few repetitions. */
export function newestDetectable(days: readonly MachineDay[]): number | null {
  return days.at(-1)?.detectable_change ?? null;
}

type Sampled = { day: string; change: number };

/** The days whose minimum detectable change is known. */
export function sampledDays(days: readonly MachineDay[]): Sampled[] {
  return days.flatMap(({ day, detectable_change }) =>
    detectable_change === null ? [] : [{ day, change: detectable_change }],
  );
}

/** `≥ 2.1 %` */
export function detectableText(change: number | null): string {
  return change === null ? "too few repetitions" : `≥ ${formatShare(change)}`;
}
