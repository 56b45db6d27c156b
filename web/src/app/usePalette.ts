/** The search results for a text, from local data and from the server. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  commitsQuery,
  facetsQuery,
  foundSeriesQuery,
  machinesQuery,
  projectsQuery,
  runsQuery,
} from "@/api/queries";
import { useSettled } from "@/lib/hooks";
import { show } from "@/lib/overlays";
import { toCommit, toExplore, toFound, toMachine, toOverview, toRun, toSeries } from "@/lib/paths";
import { EVERYTHING, errorText, parseQuery, textOf } from "@/lib/query";
import { askedOf } from "@/lib/queryAsked";
import { counted, upperFirst } from "@/lib/units";
import { keyName, useKeyMaps } from "@/lib/useKeys";
import { useRecent, useViews, type View } from "@/lib/views";
import { GO } from "./keys";
import { allPages } from "./pages";
import {
  commitLabel,
  corrected,
  type Entry,
  type Group,
  isAboutSeries,
  isMatch,
  runsOf,
  seriesDetail,
  seriesLabel,
  withExactTransports,
} from "./paletteEntries";

type Palette = {
  /** Those with entries. */
  groups: Group[];
  /** Why there are no results, or why the text is invalid. */
  problem: string | null;
};

/** The results for a text; some of them replace the text. */
export function usePalette(project: string, text: string, setText: (text: string) => void): Palette {
  const navigate = useNavigate();
  const views = useViews(project);
  const recent = useRecent(project);
  const keyMaps = useKeyMaps();
  const projects = useQuery(projectsQuery).data ?? [];
  const found = useFound(project, text);
  const parsed = parseQuery(text);
  const isProject = project !== "";

  const go = (open: () => unknown) => () => {
    show(null);
    open();
    document.getElementById("content")?.focus({ preventScroll: true });
  };
  const isOffered = (label: string) =>
    parsed.kind === "query" && !isAboutSeries(parsed.query) && isMatch(label, parsed.query.words);
  const hasWords = parsed.kind === "query" && parsed.query.words.length > 0;
  const pages = (isProject ? allPages() : []).map(
    ({ to, label, key }): Entry => ({
      key: `page ${label}`,
      label,
      shortcut: `${GO} ${key}`,
      open: go(() => navigate(to(project))),
    }),
  );
  const actions = keyMaps
    .flatMap(({ keys }) => keys)
    .filter(([key]) => !key.startsWith(`${GO} `) && !UNLISTED_KEYS.includes(key))
    .map(
      ([key, what, act]): Entry => ({
        key: `action ${key}`,
        label: upperFirst(what),
        shortcut: keyName(key),
        open: () => {
          show(null);
          act();
        },
      }),
    );
  const viewEntries = (kind: string, listed: readonly View[]) =>
    listed
      .filter(({ name }) => isOffered(name))
      .map(({ name, href }) => ({
        key: `${kind} ${name}`,
        label: name,
        detail: href,
        open: go(() => navigate({ href })),
      }));
  const isListed = isProject && parsed.kind === "query" && text.trim() !== "" && found.total !== 0;
  const all: Entry = {
    key: "series all",
    label: `All ${found.total === undefined ? "" : `${counted(found.total, "series", "series")} `}in Explore`,
    detail: text.trim(),
    open: go(() => navigate(toFound(project, text.trim()))),
  };

  const offered: Group[] = [
    { name: "Recent", entries: viewEntries("recent", recent) },
    { name: "Saved views", entries: viewEntries("view", views) },
    { name: "Pages", entries: pages.filter(({ label }) => isOffered(label)) },
    { name: "Actions", entries: actions.filter(({ label }) => isOffered(label)) },
    {
      name: "Series",
      entries: [
        ...found.series.map((entry) => ({
          key: `series ${entry.series_id}`,
          label: seriesLabel(entry),
          detail: seriesDetail(entry, found.figure),
          open: go(() => navigate(toSeries(project, entry.series_id))),
        })),
        ...(isListed ? [all] : []),
      ],
    },
    {
      name: "Commits",
      entries: found.commits.map((commit) => ({
        key: `commit ${commit.sha}`,
        label: commitLabel(commit),
        detail: `#${commit.ordinal}`,
        open: go(() => navigate(toCommit(project, commit.sha))),
      })),
    },
    {
      name: "Runs",
      entries: found.runs.map(({ run_id, machine, commit }) => ({
        key: `run ${run_id}`,
        label: `${machine} at ${commitLabel(commit)}`,
        open: go(() => navigate(toRun(project, run_id))),
      })),
    },
    {
      name: "Machines",
      entries: found.machines
        .filter(({ machine, os }) => hasWords && isOffered(`${machine} ${os}`))
        .map(({ machine, os, arch }) => ({
          key: `machine ${machine}`,
          label: machine,
          detail: `${os}, ${arch}`,
          open: go(() => navigate(toMachine(project, machine))),
        })),
    },
    {
      name: isProject ? "Other projects" : "Projects",
      entries: projects
        .filter((entry) => entry.project !== project && isOffered(entry.project))
        .map((entry) => ({
          key: `project ${entry.project}`,
          label: entry.project,
          detail: counted(entry.series_count, "series", "series"),
          open: go(() => navigate(toOverview(entry.project))),
        })),
    },
  ];
  const groups = offered.filter(({ entries }) => entries.length > 0);
  if (parsed.kind === "error") return { groups, problem: errorText(parsed.error) };
  if (groups.length > 0 || !found.isComplete) return { groups, problem: found.nothing };
  const names = [...found.names, ...pages.map(({ label }) => label)];
  const nearest = found.without ?? corrected(parsed.query, names);
  const suggestion = nearest === null ? "" : textOf(nearest);
  const next: Entry =
    suggestion === ""
      ? { key: "explore", label: "All series in Explore", open: go(() => navigate(toExplore(project))) }
      : { key: "nearest", label: `Search for ${suggestion}`, open: () => setText(suggestion) };
  return {
    groups: [{ name: "Instead", entries: isProject ? [next] : [] }],
    problem: found.nothing ?? `No match for “${text.trim()}”.`,
  };
}

/** Keys that are not listed: they open the search, which is already open, or move within a page. */
const UNLISTED_KEYS = ["/", "Enter", "ArrowLeft", "ArrowRight", "j", "k", "x"];
const SERIES_MAX = 8;
const COMMITS_MAX = 5;
const RUNS_MAX = 4;
const SETTLED_MS = 150;

function useFound(project: string, text: string) {
  const settled = useSettled(text.trim(), SETTLED_MS);
  const parsed = parseQuery(settled);
  const query = parsed.kind === "query" ? parsed.query : EVERYTHING;
  const isProject = project !== "";
  const isSearched = isProject && settled !== "" && parsed.kind === "query";

  const machines = useQuery({ ...machinesQuery(project), enabled: isProject }).data ?? [];
  const facets = useQuery({ ...facetsQuery(project, {}), enabled: isSearched }).data;
  const known = facets === undefined ? null : { facets, machines };
  const resolved = isSearched && known !== null ? askedOf(query, known) : null;
  const exact = known === null ? null : withExactTransports(query, known.facets);
  const resolvedExactly = isSearched && known !== null && exact !== null ? askedOf(exact, known) : null;
  const asked = resolved?.kind === "asked" ? resolved.asked : null;
  const askedExactly = resolvedExactly?.kind === "asked" ? resolvedExactly.asked : null;
  const series = useQuery({
    ...foundSeriesQuery(project, { ...asked, limit: SERIES_MAX }),
    enabled: asked !== null,
  });
  const first = useQuery({
    ...foundSeriesQuery(project, { ...askedExactly, limit: SERIES_MAX }),
    enabled: askedExactly !== null,
  });
  const counts = useQuery({ ...facetsQuery(project, asked ?? {}), enabled: asked !== null });

  const hasCommits = isSearched && query.words.length > 0 && !isAboutSeries(query);
  const commitsAsked = { q: query.words.join(" "), limit: COMMITS_MAX };
  const found = useQuery({ ...commitsQuery(project, commitsAsked), enabled: hasCommits });
  const commits = hasCommits ? (found.data?.commits ?? []) : [];
  const runs = useQuery({ ...runsQuery(project, {}), enabled: commits.length > 0 }).data?.runs ?? [];
  const isWaiting = [series, first, counts, found].some(({ isFetching }) => isFetching);

  return {
    machines,
    figure: query.figure ?? "p50",
    series: [
      ...(askedExactly === null ? [] : (first.data?.series ?? [])),
      ...(asked === null ? [] : (series.data?.series ?? [])),
    ]
      .filter(({ series_id }, place, all) => all.findIndex((one) => one.series_id === series_id) === place)
      .slice(0, SERIES_MAX),
    /** The total number of matches; `undefined` while unknown. */
    total: asked === null ? undefined : counts.data?.series_count,
    commits,
    runs: runsOf(commits, runs).slice(0, RUNS_MAX),
    nothing: resolved?.kind === "nothing" ? resolved.because : null,
    without: resolved?.kind === "nothing" ? resolved.without : null,
    /** Whether nothing else will be found. */
    isComplete: settled === text.trim() && !isWaiting && (resolved !== null || !isSearched),
    /** Names that a word can mean. */
    names: known === null ? [] : NAMED_FACETS.flatMap((key) => known.facets[key].map(({ value }) => value)),
  };
}

const NAMED_FACETS = ["transport", "machine", "scenario", "mode", "placement"] as const;
