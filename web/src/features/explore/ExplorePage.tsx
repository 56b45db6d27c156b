/** Explore: all series of a project, found by a text or by ticking, side by side over the last commits. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { facetsQuery, foundSeriesQuery, machinesQuery } from "@/api/queries";
import { ErrorState } from "@/components/ui/ErrorState";
import { Segmented } from "@/components/ui/Segmented";
import { Skeleton } from "@/components/ui/Skeleton";
import { show } from "@/lib/overlays";
import { toExplore } from "@/lib/paths";
import { EVERYTHING, FIGURES, figureName, parseQuery, textOf } from "@/lib/query";
import { askedOf } from "@/lib/queryAsked";
import { useTitle } from "@/lib/useTitle";
import { Facets } from "./components/Facets";
import { NothingFound, NothingMeasured } from "./components/Nothing";
import { Pages } from "./components/Pages";
import { Picked } from "./components/Picked";
import { SearchForm } from "./components/SearchForm";
import { SeriesGrid } from "./components/SeriesGrid";
import { headlineOf } from "./data";
import { facetsOf } from "./facets";
import { type ExploreSearch, parseExploreSearch, pickedOf, textOfPicked } from "./search";

const route = getRouteApi("/$project/explore");

/** Series of one page: their lines come in one answer. */
const ROWS_MAX = 50;

const EMPTY = "Each of these there is, but no series that has all of them.";

export function ExplorePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { q = "", after } = search;
  const all = useSuspenseQuery(facetsQuery(project, {})).data;
  const { machines } = useSuspenseQuery(machinesQuery(project)).data;
  const known = { facets: all, machines };
  const parsed = parseQuery(q);
  const query = parsed.kind === "query" ? parsed.query : EVERYTHING;
  const resolved = askedOf(query, known);
  const asked = parsed.kind === "query" && resolved.kind === "asked" ? resolved.asked : null;
  const counts = useQuery({ ...facetsQuery(project, asked ?? {}), enabled: asked !== null });
  const found = useQuery({
    ...foundSeriesQuery(project, { ...asked, limit: ROWS_MAX, ...(after !== undefined && { after }) }),
    enabled: asked !== null,
  });
  const picked = pickedOf(search.picked);
  const figure = query.figure ?? "p50";
  useTitle(`Explore ${project}`);

  const go = (change: Partial<Record<keyof ExploreSearch, string | undefined>>, replace: boolean) =>
    navigate({
      ...toExplore(project),
      search: ({ tables }) => ({
        ...(tables !== undefined && { tables }),
        ...parseExploreSearch({ ...search, ...change }),
      }),
      replace,
      resetScroll: false,
    });
  const searchFor = (text: string, replace = false) => go({ q: text, after: undefined }, replace);
  const pick = (seriesId: number, isPicked: boolean) => {
    const others = picked.filter((id) => id !== seriesId);
    go({ picked: textOfPicked(isPicked ? [...others, seriesId] : others) }, true);
  };
  const series = found.data?.series ?? [];
  const total = asked === null ? 0 : (counts.data?.series_count ?? all.series_count);
  return (
    <>
      <header>
        <h1>
          {parsed.kind === "error"
            ? "This search is not understood"
            : headlineOf(total, all.series_count, all.transport.length, all.machine.length)}
        </h1>
        <p className="lede">
          A series is one case on one transport and one machine, over the commits. Search for them in words,
          or tick what is to be seen; the address keeps both.{" "}
          <button type="button" className="link-button" onClick={() => show("views")}>
            Save this view
          </button>
        </p>
      </header>
      <SearchForm text={q} notes={resolved.kind === "asked" ? resolved.notes : []} onSearch={searchFor} />
      {all.series_count === 0 && <NothingMeasured />}
      {all.series_count > 0 && resolved.kind === "nothing" && (
        <NothingFound project={project} because={resolved.because} without={resolved.without} />
      )}
      {all.series_count > 0 && asked !== null && (
        <div className="explore">
          <Facets
            facets={counts.data === undefined ? [] : facetsOf(query, counts.data, known)}
            onChange={(next) => searchFor(textOf(next))}
          />
          <div className="explore-found" aria-busy={found.isPlaceholderData}>
            {found.isError && <ErrorState error={found.error} onRetry={() => found.refetch()} heading="h2" />}
            {found.isPending && <Skeleton height="16rem" />}
            {found.isSuccess && series.length === 0 && (
              <NothingFound project={project} because={EMPTY} without={EVERYTHING} />
            )}
            {series.length > 0 && (
              <SeriesGrid
                project={project}
                series={series}
                figure={figure}
                picked={picked}
                onPick={pick}
                controls={
                  <div className="explore-controls">
                    <Segmented
                      label="Figure"
                      options={FIGURES.map((value) => ({ value, label: figureName(value) }))}
                      value={figure}
                      onChange={(value) =>
                        searchFor(textOf({ ...query, figure: value === "p50" ? undefined : value }), true)
                      }
                    />
                    <Picked
                      project={project}
                      picked={picked}
                      onClear={() => go({ picked: undefined }, true)}
                    />
                  </div>
                }
              />
            )}
            <Pages project={project} search={search} next={found.data?.next_after ?? null} />
          </div>
        </div>
      )}
    </>
  );
}
