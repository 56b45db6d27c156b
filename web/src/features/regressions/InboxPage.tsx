/** What changed and why: the inbox, which is read with the keyboard alone if one likes. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { regressionsQuery } from "@/api/queries";
import type { Regression, RegressionChange } from "@/api/types";
import { Button, Segmented } from "@/components/ui/controls";
import { ScrollRegion } from "@/components/ui/states";
import { Ago } from "@/components/ui/text";
import { useNow, useTitle } from "@/lib/hooks";
import { show as showOverlay } from "@/lib/overlays";
import { toErrorRates, toRegression, toRegressions } from "@/lib/paths";
import {
  askedFor,
  changeText,
  DIRECTIONS,
  headlineOf,
  rangeText,
  SHOWN,
  type Shown,
  STATE_NAMES,
} from "@/lib/regressions";
import { inDays } from "@/lib/time";
import { useKeys } from "@/lib/useKeys";
import { quietText, whereText } from "./data";
import { type InboxSearch, parseInboxSearch } from "./search";
import { useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions");

const SHOWN_NAMES: Record<Shown, string> = { ...STATE_NAMES, open: "open", all: "all" };
const DIRECTION_NAMES = { regressed: "slower", improved: "faster" };

const WEEK_DAYS = 7;

/** What can be said of the selected regressions together. */
const ACTIONS: [string, () => RegressionChange][] = [
  ["Acknowledge", () => ({ state: "acknowledged" })],
  ["Fixed", () => ({ state: "fixed" })],
  ["No regression", () => ({ state: "invalid" })],
  ["Mute for a week", () => ({ muted_until: inDays(WEEK_DAYS) })],
];

export function InboxPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(regressionsQuery(project, askedFor(search)));
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const [current, setCurrent] = useState(0);
  const saying = useTriage(project);
  const { shown = "open", direction = "regressed" } = search;
  const { regressions } = data;
  useTitle(`Changes of ${project}`);

  const show = (change: Partial<Record<keyof InboxSearch, unknown>>) => {
    setMarked(new Set());
    setCurrent(0);
    const next = parseInboxSearch({ ...search, after: undefined, ...change });
    navigate({ ...toRegressions(project), search: next, replace: true });
  };
  const ids = regressions.map(({ regression_id }) => regression_id);
  // What is not shown any more is not meant.
  const selected = ids.filter((id) => marked.has(id));
  const toggle = (id: number) => {
    setMarked(new Set(marked.has(id) ? selected.filter((other) => other !== id) : [...selected, id]));
  };
  const at = ids[Math.min(current, ids.length - 1)];
  // Those that are selected, or else the one that the keyboard is at.
  const meant = selected.length > 0 || at === undefined ? selected : [at];
  const say = (change: RegressionChange) => {
    if (meant.length === 0 || saying.isPending) return;
    saying.mutate({ ids: meant, change }, { onSuccess: () => setMarked(new Set()) });
  };
  const move = (by: number) => setCurrent((place) => Math.max(0, Math.min(ids.length - 1, place + by)));
  useKeys({
    title: "Changes",
    keys: [
      ["j", "next", () => move(1)],
      ["k", "previous", () => move(-1)],
      ["x", "select, or not", () => at !== undefined && toggle(at)],
      ["Enter", "open", () => at !== undefined && navigate(toRegression(project, at))],
      ["a", "acknowledge", () => say({ state: "acknowledged" })],
      ["f", "fixed", () => say({ state: "fixed" })],
      ["i", "no regression", () => say({ state: "invalid" })],
      ["n", "new again", () => say({ state: "new" })],
    ],
  });

  return (
    <>
      <header>
        <h1>{headlineOf(regressions, { shown, direction, isWhole: data.next_after === null })}</h1>
        <p className="lede">
          Changes that one cause explains are one entry. Told by mistake, they are rare:{" "}
          <Link {...toErrorRates(project)}>how rare</Link>.
        </p>
      </header>
      <div className="controls section">
        <Segmented
          label="State"
          options={SHOWN.map((value) => ({ value, label: SHOWN_NAMES[value] }))}
          value={shown}
          onChange={(value) => show({ shown: value })}
        />
        <Segmented
          label="Direction"
          options={DIRECTIONS.map((value) => ({ value, label: DIRECTION_NAMES[value] }))}
          value={direction}
          onChange={(value) => show({ direction: value })}
        />
        <label className="field">
          <input
            type="checkbox"
            checked={search.quiet === true}
            onChange={({ target }) => show({ quiet: target.checked })}
          />
          muted and held ones too
        </label>
      </div>
      {regressions.length > 0 && (
        <div className="section">
          <div className="controls bulk">
            <span className="muted" aria-live="polite">
              {selected.length === 0 ? "None selected" : `${selected.length} selected`}
            </span>
            {ACTIONS.map(([name, change]) => (
              <Button
                key={name}
                disabled={selected.length === 0 || saying.isPending}
                onClick={() => say(change())}
              >
                {name}
              </Button>
            ))}
          </div>
          {saying.error !== null && (
            <p className="warning" role="alert">
              {saying.error.message}
            </p>
          )}
          <InboxTable
            project={project}
            regressions={regressions}
            selected={selected}
            current={at}
            onToggle={toggle}
            onToggleAll={(isOn) => setMarked(new Set(isOn ? ids : []))}
          />
        </div>
      )}
      {data.next_after !== null && (
        <p className="section">
          <Link {...toRegressions(project)} search={{ ...search, after: data.next_after }} className="button">
            Earlier ones
          </Link>
        </p>
      )}
      <p className="section section-note">
        <button type="button" className="text-button" onClick={() => showOverlay("keys")}>
          Keys: <kbd>?</kbd>
        </button>
      </p>
    </>
  );
}

type Props = {
  project: string;
  regressions: Regression[];
  selected: readonly number[];
  current: number | undefined;
  onToggle: (id: number) => void;
  onToggleAll: (isOn: boolean) => void;
};

function InboxTable({ project, regressions, selected, current, onToggle, onToggleAll }: Props) {
  const now = useNow();
  const row = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row that it refers to is another one then.
  useEffect(() => {
    row.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <ScrollRegion label="Regressions">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label="Select all"
                checked={selected.length === regressions.length}
                onChange={({ target }) => onToggleAll(target.checked)}
              />
            </th>
            {["worst", "where", "which commit", "cause", "state", "who", "found"].map((head) => (
              <th key={head} scope="col" className={head === "worst" ? "number" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {regressions.map((regression) => {
            const { regression_id, worst_change, direction } = regression;
            const isCurrent = regression_id === current;
            const quiet = quietText(regression, now);
            return (
              <tr
                key={regression_id}
                {...(isCurrent && { ref: row, "aria-current": true, className: "current" })}
              >
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Select regression ${regression_id}`}
                    checked={selected.includes(regression_id)}
                    onChange={() => onToggle(regression_id)}
                  />
                </td>
                <th scope="row" className="number">
                  <Link {...toRegression(project, regression_id)} className={`change change-${direction}`}>
                    {worst_change === null ? "unknown" : changeText(worst_change)}
                  </Link>
                </th>
                <td>{whereText(regression)}</td>
                <td>{rangeText(regression.after_commit, regression.until_commit)}</td>
                <td>{regression.cause}</td>
                <td>
                  {STATE_NAMES[regression.state]}
                  {quiet !== null && (
                    <span className="muted" title={regression.held_because ?? undefined}>
                      , {quiet}
                    </span>
                  )}
                </td>
                <td>{regression.assignee ?? <span className="muted">nobody</span>}</td>
                <td>
                  <Ago moment={regression.created_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
