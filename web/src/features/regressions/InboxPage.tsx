/** The inbox: a list with bulk triage, next to the evidence of its current row. Usable with the keyboard alone. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { regressionQuery, regressionsQuery } from "@/api/queries";
import type { Regression, RegressionChange } from "@/api/types";
import { FormError, Loaded } from "@/components/form";
import { Suspicions } from "@/components/Suspicions";
import { Button, Older, optionsOf, Segmented, TextButton } from "@/components/ui/controls";
import { Ago, Quoted } from "@/components/ui/text";
import { useMedia, useNow, useSearchChange, useTitle } from "@/lib/hooks";
import { show as showOverlay } from "@/lib/overlays";
import { toErrorRates, toRegression } from "@/lib/paths";
import {
  askedFor,
  DIRECTIONS,
  headlineOf,
  SHOWN,
  type Shown,
  STATE_NAMES,
  suspectsText,
  worstText,
} from "@/lib/regressions";
import { inDays } from "@/lib/time";
import { upperFirst } from "@/lib/units";
import { useKeys } from "@/lib/useKeys";
import { Actions, UndoNotice } from "./Actions";
import { alertState, type Current, currentIn, titleOf, whereText } from "./data";
import { Evidence } from "./Evidence";
import { Standing } from "./Standing";
import type { InboxSearch } from "./search";
import { type Triage, triageKeys, useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions");

const SHOWN_NAMES: Record<Shown, string> = { ...STATE_NAMES, open: "open", all: "all" };
const DIRECTION_NAMES = { regressed: "Slower", improved: "Faster" };

const WEEK_DAYS = 7;

/** Enough room for a preview. */
const WIDE = "(min-width: 64rem)";

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
  const [last, setLast] = useState<Current>({ place: 0, id: undefined });
  const triage = useTriage(project);
  const isWide = useMedia(WIDE);
  const { shown = "open", direction = "regressed" } = search;
  const { regressions } = data;
  useTitle(`Regressions of ${project}`);

  const change = useSearchChange<InboxSearch>();
  const show = (asked: Parameters<typeof change>[0]) => {
    setMarked(new Set());
    setLast({ place: 0, id: undefined });
    void change({ after: undefined, ...asked });
  };
  const ids = regressions.map(({ regression_id }) => regression_id);
  // Only visible rows can be selected.
  const selected = ids.filter((id) => marked.has(id));
  const toggle = (id: number) => {
    setMarked(new Set(marked.has(id) ? selected.filter((other) => other !== id) : [...selected, id]));
  };
  const current = currentIn(last, ids);
  const { id: at } = current;
  const shownRow = regressions[current.place];
  if (at !== last.id || current.place !== last.place) setLast(current);
  // The selected rows, otherwise the current one.
  const wanted = selected.length > 0 ? selected : [at];
  const targets = regressions.filter(({ regression_id }) => wanted.includes(regression_id));
  const apply = (change: RegressionChange) => {
    if (targets.length === 0) return;
    triage.mutate({ regressions: targets, change }, { onSuccess: () => setMarked(new Set()) });
  };
  const move = (by: number) => setLast(currentIn({ place: current.place + by, id: undefined }, ids));
  useKeys({
    title: "Regressions",
    keys: [
      ["j", "next", () => move(1)],
      ["k", "previous", () => move(-1)],
      ["Enter", "open", () => at !== undefined && navigate(toRegression(project, at))],
      ...(triage.isAllowed
        ? [["x", "select or deselect", () => at !== undefined && toggle(at)] as const]
        : []),
      ...triageKeys(apply, triage),
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
      <div className="controls subsection">
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
      <FormError error={triage.error} />
      {shownRow !== undefined && (
        <div className="inbox subsection">
          <div>
            {triage.isAllowed && (
              <div className="controls bulk">
                <label className="field">
                  <input
                    type="checkbox"
                    aria-label="Select all"
                    checked={selected.length === ids.length}
                    onChange={({ target }) => setMarked(new Set(target.checked ? ids : []))}
                  />
                  <span aria-live="polite">
                    {selected.length === 0 ? "None selected" : `${selected.length} selected`}
                  </span>
                </label>
                {selected.length > 0 &&
                  ACTIONS.map(([name, change]) => (
                    <Button key={name} disabled={triage.isPending} onClick={() => apply(change())}>
                      {name}
                    </Button>
                  ))}
              </div>
            )}
            <InboxList
              project={project}
              regressions={regressions}
              selected={selected}
              current={at}
              isPreviewed={isWide}
              onToggle={triage.isAllowed ? toggle : null}
              onCurrent={(id) => setLast(currentIn({ place: 0, id }, ids))}
            />
          </div>
          {isWide && <Preview key={at} project={project} regression={shownRow} triage={triage} />}
        </div>
      )}
      <Older after={data.next_after} />
      <p className="section section-note">
        <TextButton onClick={() => showOverlay("keys")}>
          Shortcuts: <kbd>?</kbd>
        </TextButton>
      </p>
      <UndoNotice done={triage.done} />
    </>
  );
}

type ListProps = {
  project: string;
  regressions: Regression[];
  selected: readonly number[];
  current: number | undefined;
  isPreviewed: boolean;
  /** `null` if rows cannot be selected. */
  onToggle: ((id: number) => void) | null;
  onCurrent: (id: number) => void;
};

function InboxList(props: ListProps) {
  const { project, regressions, selected, current, isPreviewed, onToggle, onCurrent } = props;
  const row = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ref points to another row when `current` changes.
  useEffect(() => {
    row.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <ol className="inbox-list" aria-label="Regressions">
      {regressions.map((regression) => {
        const { regression_id, worst_change, direction } = regression;
        const isCurrent = regression_id === current;
        const size = worstText(regression, worst_change);
        const look = `inbox-open change change-${direction}`;
        return (
          <li key={regression_id} {...(isCurrent && { ref: row, "aria-current": true })}>
            {onToggle !== null && (
              <input
                type="checkbox"
                aria-label={`Select regression ${regression_id}`}
                checked={selected.includes(regression_id)}
                onChange={() => onToggle(regression_id)}
              />
            )}
            <div>
              {isPreviewed ? (
                <TextButton className={look} onClick={() => onCurrent(regression_id)}>
                  {size}
                </TextButton>
              ) : (
                <Link {...toRegression(project, regression_id)} className={look}>
                  {size}
                </Link>
              )}
              <RegressionLines regression={regression} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function RegressionLines({ regression }: { regression: Regression }) {
  const quiet = alertState(regression, useNow());
  const [finding] = regression.explanation?.findings ?? [];
  return (
    <>
      <span className="inbox-age muted">
        <Ago moment={regression.created_at} />
      </span>
      <span className="line">{whereText(regression)}</span>
      <span className="line">
        {suspectsText(regression)}
        {finding !== undefined && (
          <>
            : <Quoted text={finding.text} />
          </>
        )}
      </span>
      <span className="line muted" title={regression.held_because ?? undefined}>
        {[STATE_NAMES[regression.state], regression.assignee ?? "unassigned", quiet]
          .filter(Boolean)
          .join(", ")}
      </span>
    </>
  );
}

type PreviewProps = { project: string; regression: Regression; triage: Triage };

/** The evidence of the current row. */
function Preview({ project, regression, triage }: PreviewProps) {
  const query = useQuery(regressionQuery(project, regression.regression_id));
  return (
    <section className="inbox-preview" aria-label="Preview">
      <h2>
        <Link {...toRegression(project, regression.regression_id)}>
          {titleOf(regression, query.data?.culprits ?? [])}
        </Link>
      </h2>
      <Standing regression={regression} />
      <Loaded query={query}>
        {(detail) => (
          <>
            <Actions project={project} detail={detail} triage={triage} />
            <Evidence project={project} detail={detail} />
          </>
        )}
      </Loaded>
    </section>
  );
}
