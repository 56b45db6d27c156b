/** What the server finds for a text of the search grammar, once nobody types. */
import { useQuery } from "@tanstack/react-query";
import { commitsQuery, facetsQuery, foundSeriesQuery, machinesQuery, runsQuery } from "@/api/queries";
import { EVERYTHING, parseQuery } from "@/lib/query";
import { askedOf } from "@/lib/queryAsked";
import { useSettled } from "@/lib/useSettled";
import { isAboutSeries, runsOf } from "./paletteEntries";

const SERIES_MAX = 8;
const COMMITS_MAX = 5;
const RUNS_MAX = 4;
const SETTLED_MS = 150;

/** An empty project is none: nothing is asked. */
export function useFound(project: string, text: string) {
  const settled = useSettled(text.trim(), SETTLED_MS);
  const parsed = parseQuery(settled);
  const query = parsed.kind === "query" ? parsed.query : EVERYTHING;
  const isProject = project !== "";
  const isSearched = isProject && settled !== "" && parsed.kind === "query";

  const machines = useQuery({ ...machinesQuery(project), enabled: isProject }).data?.machines ?? [];
  const facets = useQuery({ ...facetsQuery(project, {}), enabled: isSearched }).data;
  const resolved = isSearched && facets !== undefined ? askedOf(query, { facets, machines }) : null;
  const asked = resolved?.kind === "asked" ? resolved.asked : null;
  const isAsked = { enabled: asked !== null };
  const series = useQuery({
    ...foundSeriesQuery(project, { ...asked, limit: SERIES_MAX }),
    ...isAsked,
  }).data;
  const counts = useQuery({ ...facetsQuery(project, asked ?? {}), ...isAsked }).data;

  const hasCommits = isSearched && query.words.length > 0 && !isAboutSeries(query);
  const commitsAsked = { q: query.words.join(" "), limit: COMMITS_MAX };
  const found = useQuery({ ...commitsQuery(project, commitsAsked), enabled: hasCommits }).data;
  const commits = hasCommits ? (found?.commits ?? []) : [];
  const runs = useQuery({ ...runsQuery(project, {}), enabled: commits.length > 0 }).data?.runs ?? [];

  return {
    machines,
    figure: query.figure ?? "p50",
    series: asked === null ? [] : (series?.series ?? []),
    /** How many match in all; `undefined` while that is not known. */
    total: asked === null ? undefined : counts?.series_count,
    commits,
    runs: runsOf(commits, runs).slice(0, RUNS_MAX),
    /** Why nothing can match. */
    nothing: resolved?.kind === "nothing" ? resolved.because : null,
  };
}
