/** What changed and why: the inbox, which is read with the keyboard alone if one likes. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { regressionsQuery } from "@/api/queries";
import type { RegressionChange } from "@/api/types";
import { Segmented } from "@/components/ui/Segmented";
import { toErrorRates, toRegression, toRegressions } from "@/lib/paths";
import { DIRECTIONS, headlineOf, SHOWN } from "@/lib/regressions";
import { useTitle } from "@/lib/useTitle";
import { BulkActions } from "./components/BulkActions";
import { InboxTable } from "./components/InboxTable";
import { KeyMap } from "./components/KeyMap";
import { askedFor } from "./data";
import type { InboxSearch } from "./search";
import { useInboxKeys } from "./useInboxKeys";
import { useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions");

const SHOWN_NAMES = {
  open: "open",
  fixed: "fixed",
  invalid: "no regression",
  machine: "the machine’s",
  all: "all",
};
const DIRECTION_NAMES = { regressed: "slower", improved: "faster" };

export function InboxPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(regressionsQuery(project, askedFor(search)));
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [current, setCurrent] = useState(0);
  const saying = useTriage(project);
  const { shown = "open", direction = "regressed" } = search;
  const { regressions } = data;
  useTitle(`Changes of ${project}`);

  const show = (change: InboxSearch) => {
    setSelected(new Set());
    setCurrent(0);
    const { after: _after, ...rest } = search;
    navigate({ ...toRegressions(project), search: { ...rest, ...change }, replace: true });
  };
  const toggle = (id: number) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const at = regressions[Math.min(current, regressions.length - 1)];
  // Those that are selected, or else the one that the keyboard is at.
  const meant = () => {
    const ids = regressions.map(({ regression_id }) => regression_id).filter((id) => selected.has(id));
    return ids.length > 0 || at === undefined ? ids : [at.regression_id];
  };
  const say = (change: RegressionChange) => {
    const ids = meant();
    if (ids.length === 0 || saying.isPending) return;
    saying.mutate({ ids, change }, { onSuccess: () => setSelected(new Set()) });
  };
  const keyMap = useInboxKeys({
    move: (by) => setCurrent((place) => Math.max(0, Math.min(regressions.length - 1, place + by))),
    toggle: () => at !== undefined && toggle(at.regression_id),
    open: () => at !== undefined && navigate(toRegression(project, at.regression_id)),
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
            onChange={({ target }) => {
              const { quiet: _quiet, after: _after, ...rest } = search;
              const next = target.checked ? { ...rest, quiet: true as const } : rest;
              navigate({ ...toRegressions(project), search: next, replace: true });
            }}
          />
          muted and held ones too
        </label>
      </div>
      {regressions.length > 0 && (
        <div className="section">
          <BulkActions count={selected.size} isBusy={saying.isPending} error={saying.error} onSay={say} />
          <InboxTable
            project={project}
            regressions={regressions}
            selected={selected}
            current={at?.regression_id}
            onToggle={toggle}
            onToggleAll={(isOn) =>
              setSelected(new Set(isOn ? regressions.map(({ regression_id }) => regression_id) : []))
            }
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
      <KeyMap dialog={keyMap} />
    </>
  );
}
