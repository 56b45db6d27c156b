/** The search results for a text, from local data and from the server. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  commitsQuery,
  facetsQuery,
  foundSeriesQuery,
  machinesQuery,
  projectsQuery,
  runsQuery,
} from "@/api/queries";
import type { CommitSummary } from "@/api/types";
import { useSettled } from "@/lib/hooks";
import { show } from "@/lib/overlays";
import { toCompare, toComparison, toFound, toMachine, toOverview, toRun, toSeries } from "@/lib/paths";
import { EVERYTHING, errorText, parseQuery } from "@/lib/query";
import { askedOf } from "@/lib/queryAsked";
import { counted } from "@/lib/units";
import { useViews } from "@/lib/views";
import { DAILY_PAGES, OVERVIEW, otherPages } from "./pages";
import {
  commitLabel,
  type Entry,
  type Group,
  isAboutSeries,
  isMatch,
  runsOf,
  seriesDetail,
  seriesLabel,
} from "./paletteEntries";

/** Groups with entries, and the problem with the text, if any. */
export function usePalette(project: string, text: string): { groups: Group[]; problem: string | null } {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const views = useViews(project);
  const projects = useQuery(projectsQuery).data ?? [];
  const found = useFound(project, text);
  const parsed = parseQuery(text);
  const isProject = project !== "";

  const go = (open: () => unknown) => () => {
    show(null);
    open();
    document.getElementById("content")?.focus({ preventScroll: true });
  };
  /** Compares a commit with the one before. */
  const openCommit = async ({ sha, ordinal }: CommitSummary) => {
    const before = await queryClient
      .fetchQuery(commitsQuery(project, { to: ordinal - 1, limit: 1 }))
      .then(({ commits: [commit] }) => commit)
      .catch(() => undefined);
    return navigate(
      before === undefined
        ? { ...toCompare(project), search: { head: sha } }
        : toComparison(project, before.sha, sha),
    );
  };

  const isOffered = (label: string) =>
    parsed.kind === "query" && !isAboutSeries(parsed.query) && isMatch(label, parsed.query.words);
  const hasWords = parsed.kind === "query" && parsed.query.words.length > 0;
  const pages: Entry[] = (isProject ? [OVERVIEW, ...DAILY_PAGES, ...otherPages()] : []).map(
    ({ to, label }) => ({ key: `page ${label}`, label, open: go(() => navigate(to(project))) }),
  );
  const actions: Entry[] = [
    ...(isProject
      ? [{ key: "views", label: "Saved views: save, rename, delete", open: () => show("views") }]
      : []),
    { key: "keys", label: "Keyboard shortcuts", open: () => show("keys") },
  ];
  const isListed = isProject && parsed.kind === "query" && text.trim() !== "" && found.total !== 0;
  const all: Entry = {
    key: "series all",
    label: `All ${found.total === undefined ? "" : `${counted(found.total, "series", "series")} `}in Explore`,
    detail: text.trim(),
    open: go(() => navigate(toFound(project, text.trim()))),
  };

  const groups: Group[] = [
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
      name: "Commits (compare with parent)",
      entries: found.commits.map((commit) => ({
        key: `commit ${commit.sha}`,
        label: commitLabel(commit),
        detail: `#${commit.ordinal}`,
        open: go(() => openCommit(commit)),
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
    {
      name: "Saved views",
      entries: views
        .filter(({ name }) => isOffered(name))
        .map(({ name, href }) => ({
          key: `view ${name}`,
          label: name,
          detail: href,
          open: go(() => navigate({ href })),
        })),
    },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    problem: parsed.kind === "error" ? errorText(parsed.error) : found.nothing,
  };
}

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
    /** The total number of matches; `undefined` while unknown. */
    total: asked === null ? undefined : counts?.series_count,
    commits,
    runs: runsOf(commits, runs).slice(0, RUNS_MAX),
    nothing: resolved?.kind === "nothing" ? resolved.because : null,
  };
}
