/** The inbox: regressions and improvements with bulk triage, usable with the keyboard alone. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { regressionsQuery } from "@/api/queries";
import type { Regression, RegressionChange } from "@/api/types";
import { FormError } from "@/components/form";
import { Suspicions } from "@/components/Suspicions";
import { Button, Older, optionsOf, Segmented, TextButton } from "@/components/ui/controls";
import { numeric, Table } from "@/components/ui/Table";
import { Ago, Quoted } from "@/components/ui/text";
import { useNow, useSearchChange, useTitle } from "@/lib/hooks";
import { show as showOverlay } from "@/lib/overlays";
import { toErrorRates, toRegression } from "@/lib/paths";
import {
  askedFor,
  causeText,
  DIRECTIONS,
  headlineOf,
  SHOWN,
  type Shown,
  STATE_NAMES,
  suspectsText,
  worstText,
} from "@/lib/regressions";
import { isSite } from "@/lib/site";
import { inDays } from "@/lib/time";
import { upperFirst } from "@/lib/units";
import { type KeyAction, useKeys } from "@/lib/useKeys";
import { alertState, whereText } from "./data";
import type { InboxSearch } from "./search";
import { useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions");

const SHOWN_NAMES: Record<Shown, string> = { ...STATE_NAMES, open: "open", all: "all" };
const DIRECTION_NAMES = { regressed: "Slower", improved: "Faster" };

const WEEK_DAYS = 7;

const ACTIONS: [string, () => RegressionChange][] = [
  ["Acknowledge", () => ({ state: "acknowledged" })],
  ["Mark fixed", () => ({ state: "fixed" })],
  ["Not a regression", () => ({ state: "invalid" })],
  ["Mute for a week", () => ({ muted_until: inDays(WEEK_DAYS) })],
];

export function InboxPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(regressionsQuery(project, askedFor(search)));
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const [current, setCurrent] = useState(0);
  const triage = useTriage(project);
  const { shown = "open", direction = "regressed" } = search;
  const { regressions } = data;
  useTitle(`Regressions in ${project}`);

  const change = useSearchChange<InboxSearch>();
  const show = (asked: Parameters<typeof change>[0]) => {
    setMarked(new Set());
    setCurrent(0);
    void change({ after: undefined, ...asked });
  };
  const ids = regressions.map(({ regression_id }) => regression_id);
  // Only visible rows can be selected.
  const selected = ids.filter((id) => marked.has(id));
  const toggle = (id: number) => {
    setMarked(new Set(marked.has(id) ? selected.filter((other) => other !== id) : [...selected, id]));
  };
  const at = ids[Math.min(current, ids.length - 1)];
  // The selected rows, otherwise the current one.
  const targets = selected.length > 0 || at === undefined ? selected : [at];
  const apply = (change: RegressionChange) => {
    if (targets.length === 0 || triage.isPending) return;
    triage.mutate({ ids: targets, change }, { onSuccess: () => setMarked(new Set()) });
  };
  const move = (by: number) => setCurrent((place) => Math.max(0, Math.min(ids.length - 1, place + by)));
  const triageKeys: KeyAction[] = [
    ["x", "select or deselect", () => at !== undefined && toggle(at)],
    ["a", "acknowledge", () => apply({ state: "acknowledged" })],
    ["f", "mark fixed", () => apply({ state: "fixed" })],
    ["i", "not a regression", () => apply({ state: "invalid" })],
    ["n", "reset to new", () => apply({ state: "new" })],
  ];
  useKeys({
    title: "Regressions",
    keys: [
      ["j", "next", () => move(1)],
      ["k", "previous", () => move(-1)],
      ["Enter", "open", () => at !== undefined && navigate(toRegression(project, at))],
      ...(isSite() ? [] : triageKeys),
    ],
  });

  return (
    <>
      <header>
        <h1>{headlineOf(regressions, { shown, direction, isWhole: data.next_after === null })}</h1>
        <p className="lede">
          Grouped by cause. <Link {...toErrorRates(project)}>False-alarm rate</Link>
        </p>
      </header>
      <Suspicions project={project} />
      <div className="controls section">
        <Segmented
          label="State"
          options={optionsOf(SHOWN, (value) => upperFirst(SHOWN_NAMES[value]))}
          value={shown}
          onChange={(value) => show({ shown: value })}
        />
        <Segmented
          label="Direction"
          options={optionsOf(DIRECTIONS, (value) => DIRECTION_NAMES[value])}
          value={direction}
          onChange={(value) => show({ direction: value })}
        />
        <label className="field">
          <input
            type="checkbox"
            checked={search.quiet === true}
            onChange={({ target }) => show({ quiet: target.checked || undefined })}
          />
          Include muted and held
        </label>
      </div>
      {regressions.length > 0 && (
        <div className="section">
          {!isSite() && (
            <div className="controls bulk">
              <span className="muted" aria-live="polite">
                {selected.length === 0 ? "None selected" : `${selected.length} selected`}
              </span>
              {ACTIONS.map(([name, change]) => (
                <Button
                  key={name}
                  disabled={selected.length === 0 || triage.isPending}
                  onClick={() => apply(change())}
                >
                  {name}
                </Button>
              ))}
            </div>
          )}
          <FormError error={triage.error} />
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
      <Older after={data.next_after} />
      <p className="section section-note">
        <TextButton onClick={() => showOverlay("keys")}>
          Shortcuts: <kbd>?</kbd>
        </TextButton>
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

export function InboxTable({ project, regressions, selected, current, onToggle, onToggleAll }: Props) {
  const now = useNow();
  const canTriage = !isSite();
  const row = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ref points to another row when `current` changes.
  useEffect(() => {
    row.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <Table
      label="Regressions"
      heads={[
        ...(canTriage
          ? [
              {
                name: "Select all",
                content: (
                  <input
                    type="checkbox"
                    aria-label="Select all"
                    checked={selected.length === regressions.length}
                    onChange={({ target }) => onToggleAll(target.checked)}
                  />
                ),
              },
            ]
          : []),
        numeric("Worst"),
        "Where",
        "Suspect commits",
        "Cause",
        "State",
        "Assignee",
        "Found",
      ]}
    >
      <tbody>
        {regressions.map((regression) => {
          const { regression_id, worst_change, direction } = regression;
          const isCurrent = regression_id === current;
          const quiet = alertState(regression, now);
          return (
            <tr
              key={regression_id}
              {...(isCurrent && { ref: row, "aria-current": true, className: "current" })}
            >
              {canTriage && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Select regression ${regression_id}`}
                    checked={selected.includes(regression_id)}
                    onChange={() => onToggle(regression_id)}
                  />
                </td>
              )}
              <th scope="row" className="number">
                <Link {...toRegression(project, regression_id)} className={`change change-${direction}`}>
                  {worstText(regression, worst_change)}
                </Link>
              </th>
              <td>{whereText(regression)}</td>
              <td>{suspectsText(regression)}</td>
              <td>
                <Quoted text={causeText(regression)} />
              </td>
              <td>
                {STATE_NAMES[regression.state]}
                {quiet !== null && (
                  <span className="muted" title={regression.held_because ?? undefined}>
                    , {quiet}
                  </span>
                )}
              </td>
              <td>{regression.assignee ?? <span className="muted">none</span>}</td>
              <td>
                <Ago moment={regression.created_at} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
