/** What the page keeps in its address, and how it changes. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { rangeOf, type SeriesSearch } from "./search";
import type { Stop } from "./stops";

const route = getRouteApi("/$project/series/$seriesId");

export function usePageState() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/$project/series/$seriesId" });
  const change = useCallback(
    (patch: SeriesSearch) =>
      navigate({ search: (previous) => ({ ...previous, ...patch }), replace: true, resetScroll: false }),
    [navigate],
  );
  /** A step that Back undoes. */
  const onRange = useCallback(
    (range: readonly [number, number] | null) =>
      navigate({
        search: ({ from: _from, to: _to, ...rest }) =>
          range === null ? rest : { ...rest, from: Math.round(range[0]), to: Math.round(range[1]) },
        resetScroll: false,
      }),
    [navigate],
  );
  const onPin = useCallback(
    ({ ordinal, runId }: Pick<Stop, "ordinal" | "runId">) =>
      navigate({
        search: ({ at: _at, run: _run, ...rest }) =>
          runId === null ? { ...rest, at: ordinal } : { ...rest, run: runId },
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const onAxis = (patch: SeriesSearch) =>
    navigate({
      search: ({ from: _from, to: _to, ...rest }) => ({ ...rest, ...patch }),
      replace: true,
      resetScroll: false,
    });
  const { from, to } = search;
  const range = useMemo(() => rangeOf({ from, to }), [from, to]);
  return { search, range, change, onRange, onPin, onAxis };
}
