/** What changed and why: the inbox, which is read with the keyboard alone if one likes. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { regressionsQuery } from "@/api/queries";
import type { RegressionChange } from "@/api/types";
import { Segmented } from "@/components/ui/Segmented";
import { show as showOverlay } from "@/lib/overlays";
import { toErrorRates, toRegression, toRegressions } from "@/lib/paths";
import { askedFor, DIRECTIONS, headlineOf, SHOWN, type Shown, STATE_NAMES } from "@/lib/regressions";
import { useTitle } from "@/lib/useTitle";
import { BulkActions } from "./components/BulkActions";
import { InboxTable } from "./components/InboxTable";
import { type InboxSearch, parseInboxSearch } from "./search";
import { useInboxKeys } from "./useInboxKeys";
import { useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions");

const SHOWN_NAMES: Record<Shown, string> = { ...STATE_NAMES, open: "open", all: "all" };
const DIRECTION_NAMES = { regressed: "slower", improved: "faster" };

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
  useInboxKeys({
    move: (by) => setCurrent((place) => Math.max(0, Math.min(ids.length - 1, place + by))),
    toggle: () => at !== undefined && toggle(at),
    open: () => at !== undefined && navigate(toRegression(project, at)),
    say: (state) => say({ state }),
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
          <BulkActions count={selected.length} isBusy={saying.isPending} error={saying.error} onSay={say} />
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
