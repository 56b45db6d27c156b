/** Explore: search all series of a project and see them over the last commits. */
import { useInfiniteQuery, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { facetsQuery, machinesQuery, seriesPagesQuery } from "@/api/queries";
import type { Trait } from "@/components/series/search";
import { Button, optionsOf, Segmented, TextButton } from "@/components/ui/controls";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { CommandLine } from "@/components/ui/text";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { show } from "@/lib/overlays";
import { toExplore, toFound, toSeriesTogether } from "@/lib/paths";
import { EVERYTHING, FIGURES, parseQuery, type Query, textOf } from "@/lib/query";
import { askedOf } from "@/lib/queryAsked";
import { resultArguments } from "@/lib/site";
import { percentileName } from "@/lib/statistics";
import { formatCount } from "@/lib/units";
import { headlineOf, variedTraits } from "./data";
import { choicesOf, type Facet, facetsOf } from "./facets";
import { SearchForm } from "./SearchForm";
import { SeriesGrid } from "./SeriesGrid";
import { type ExploreSearch, parseExploreSearch, pickedOf, textOfPicked } from "./search";

const route = getRouteApi("/$project/explore");

const NONE: Trait[] = [];
const EMPTY = "No series matches all filters.";

export function ExplorePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const change = useSearchChange<ExploreSearch>();
  const { q = "" } = search;
  const all = useSuspenseQuery(facetsQuery(project, {})).data;
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const known = useMemo(() => ({ facets: all, machines }), [all, machines]);
  const parsed = useMemo(() => parseQuery(q), [q]);
  const query = parsed.kind === "query" ? parsed.query : EVERYTHING;
  const resolved = useMemo(() => askedOf(query, known), [query, known]);
  const asked = parsed.kind === "query" && resolved.kind === "asked" ? resolved.asked : null;
  const counts = useQuery({ ...facetsQuery(project, asked ?? {}), enabled: asked !== null });
  const found = useInfiniteQuery({ ...seriesPagesQuery(project, asked ?? {}), enabled: asked !== null });
  const { data: pages, hasNextPage, isFetching, isFetchNextPageError: hasFailed, fetchNextPage } = found;
  const series = useMemo(() => pages?.pages.flatMap((page) => page.series) ?? [], [pages]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !hasFailed) void fetchNextPage();
  }, [hasNextPage, isFetching, hasFailed, fetchNextPage]);
  // An order or a group is only right with all rows.
  const needsAll = search.sort !== undefined || search.group !== undefined;
  useEffect(() => {
    if (needsAll) loadMore();
  }, [needsAll, loadMore]);
  const varied = useMemo(
    () => (hasNextPage && counts.data !== undefined ? variedTraits(counts.data, asked ?? {}) : NONE),
    [hasNextPage, counts.data, asked],
  );
  const picked = useMemo(() => pickedOf(search.picked), [search.picked]);
  const figure = query.figure ?? "p50";
  useTitle(`Explore ${project}`);

  const searchFor = (text: string, replace = false) =>
    change({ q: parseExploreSearch({ q: text }).q }, { replace });
  const pick = useCallback(
    (seriesId: number, isPicked: boolean) => {
      const others = picked.filter((id) => id !== seriesId);
      void change({ picked: textOfPicked(isPicked ? [...others, seriesId] : others) });
    },
    [picked, change],
  );
  const total = asked === null ? 0 : (counts.data?.series_count ?? all.series_count);
  return (
    <>
      <header>
        <h1>
          {parsed.kind === "error"
            ? "Invalid search"
            : headlineOf(total, all.series_count, all.transport.length, all.machine.length)}
        </h1>
        <p className="lede">
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
                varied={varied}
                search={search}
                onSearch={change}
                controls={
                  <div className="explore-controls">
                    <Segmented
                      label="Figure"
                      options={optionsOf(FIGURES, percentileName)}
                      value={figure}
                      onChange={(value) =>
                        searchFor(textOf({ ...query, figure: value === "p50" ? undefined : value }), true)
                      }
                    />
                    <Picked project={project} picked={picked} onClear={() => change({ picked: undefined })} />
                  </div>
                }
              />
            )}
            {hasNextPage && (
              <More
                loaded={series.length}
                total={total}
                hasFailed={hasFailed}
                onNear={loadMore}
                onClick={() => void fetchNextPage()}
              />
            )}
          </div>
        </div>
      )}
    </>
  );
}

type Props = { facets: Facet[]; onChange: (query: Query) => void };

/** Longer facets are shortened, unless they are only a little longer. */
const VALUES_MAX = 8;
const VALUES_MORE_MIN = 3;

/** The filters, next to the list; on narrow screens behind a button. */
function Facets({ facets, onChange }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { choices, same } = choicesOf(facets);
  const ticked = choices.flatMap(({ values }) => values).filter(({ isOn }) => isOn).length;
  return (
    <aside className="facets" aria-label="Filters">
      <button
        type="button"
        className="button facets-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {ticked === 0 ? "Filters" : `Filters (${ticked})`}
      </button>
      <div id={id} className="facets-list" data-open={isOpen}>
        {choices.map((facet) => (
          <FacetBoxes key={facet.title} facet={facet} onChange={onChange} />
        ))}
        {same.length > 0 && <p className="section-note">All series: {same.join(", ")}</p>}
      </div>
    </aside>
  );
}

function FacetBoxes({ facet: { title, values }, onChange }: { facet: Facet } & Pick<Props, "onChange">) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && values.length >= VALUES_MAX + VALUES_MORE_MIN;
  const shown = isCut ? values.filter(({ isOn }, index) => isOn || index < VALUES_MAX) : values;
  const left = values.length - shown.length;
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {shown.map(({ value, label, count, isOn, toggled }) => (
        <label key={value} className="facet-value">
          <input type="checkbox" checked={isOn} onChange={() => onChange(toggled)} />
          <span className="facet-label">{label}</span>
          <span className="facet-count">{formatCount(count)}</span>
        </label>
      ))}
      {isCut && (
        <TextButton aria-label={`${left} more: ${title}`} onClick={() => setWhole(true)}>
          {left} more
        </TextButton>
      )}
    </fieldset>
  );
}

type PickedProps = { project: string; picked: readonly number[]; onClear: () => void };

/** More lines than this are not distinguishable in one chart. */
const TOGETHER_MAX = 6;

function Picked({ project, picked, onClear }: PickedProps) {
  const canOpen = picked.length >= 2 && picked.length <= TOGETHER_MAX;
  return (
    <div className="controls bulk">
      <span className="muted" aria-live="polite">
        {pickedText(picked.length)}
      </span>
      {canOpen && (
        <Link {...toSeriesTogether(project, picked)} className="button">
          Compare
        </Link>
      )}
      {picked.length > 0 && <TextButton onClick={onClear}>Clear</TextButton>}
    </div>
  );
}

function pickedText(count: number): string {
  if (count === 0) return `Select 2-${TOGETHER_MAX} to compare`;
  if (count === 1) return "1 selected";
  return count > TOGETHER_MAX ? `${count} selected (max. ${TOGETHER_MAX})` : `${count} selected`;
}

type MoreProps = {
  loaded: number;
  total: number;
  /** Whether the last attempt failed. Only a click tries again. */
  hasFailed: boolean;
  onNear: () => void;
  onClick: () => void;
};

/** How far below the screen the next rows are loaded. */
const AHEAD = "600px";

/** Loads the next rows when it comes near the screen, or by click. */
function More({ loaded, total, hasFailed, onNear, onClick }: MoreProps) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (line.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onNear(), {
      rootMargin: AHEAD,
    });
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [onNear]);
  return (
    <p ref={line} className="controls explore-pages">
      <span className="muted">
        {formatCount(loaded)} of {formatCount(total)} loaded
      </span>
      <Button onClick={onClick}>{hasFailed ? "Try again" : "Load more"}</Button>
    </p>
  );
}

/** An empty result, with a link to a wider search. */
function NothingFound({ project, because, without }: { project: string; because: string; without: Query }) {
  const text = textOf(without);
  return (
    <div className="state">
      <p>{because}</p>
      <p>
        <Link {...(text === "" ? toExplore(project) : toFound(project, text))} className="button">
          {text === "" ? "Show all series" : "Remove filter"}
        </Link>
      </p>
    </div>
  );
}

function NothingMeasured() {
  return (
    <div className="state">
      <p className="muted">In your repository, run:</p>
      <CommandLine command={`roundtrip run ${resultArguments()}`} />
    </div>
  );
}
