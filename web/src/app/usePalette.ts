/** What the palette finds for a text: at once what is known here, and from the server what it was asked for. */
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
import { show } from "@/lib/overlays";
import { toCompare, toComparison, toFound, toMachine, toOverview, toRun, toSeries } from "@/lib/paths";
import { EVERYTHING, errorText, parseQuery } from "@/lib/query";
import { askedOf } from "@/lib/queryAsked";
import { counted } from "@/lib/units";
import { useSettled } from "@/lib/useSettled";
import { useViews } from "@/lib/views";
import { DAILY_PAGES, OTHER_PAGES, OVERVIEW } from "./pages";
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

const SERIES_MAX = 8;
const COMMITS_MAX = 5;
const RUNS_MAX = 4;
const SETTLED_MS = 150;

/** The groups that have entries, and what is wrong with the text or cannot be found. */
export function usePalette(project: string, text: string): { groups: Group[]; problem: string | null } {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const views = useViews(project);
  const settled = useSettled(text.trim(), SETTLED_MS);
  const parsed = parseQuery(text);
  const words = parsed.kind === "query" ? parsed.query.words : [];
  const asked = parseQuery(settled);
  const isSearched = settled !== "" && asked.kind === "query";
  const query = asked.kind === "query" ? asked.query : EVERYTHING;

  const isProject = project !== "";
  const machines = useQuery({ ...machinesQuery(project), enabled: isProject }).data?.machines ?? [];
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const facets = useQuery({ ...facetsQuery(project, {}), enabled: isProject && isSearched }).data;
  const resolved = facets === undefined ? null : askedOf(query, { facets, machines });
  const ofSeries = resolved?.kind === "asked" && isSearched ? resolved.asked : null;
  const series = useQuery({
    ...foundSeriesQuery(project, { ...ofSeries, limit: SERIES_MAX }),
    enabled: isProject && ofSeries !== null,
  }).data;
  const counts = useQuery({
    ...facetsQuery(project, ofSeries ?? {}),
    enabled: isProject && ofSeries !== null,
  }).data;
  const hasCommits = isProject && isSearched && query.words.length > 0 && !isAboutSeries(query);
  const commits = useQuery({
    ...commitsQuery(project, { q: query.words.join(" "), limit: COMMITS_MAX }),
    enabled: hasCommits,
  }).data;
  const found = hasCommits ? (commits?.commits ?? []) : [];
  const runs = useQuery({ ...runsQuery(project, {}), enabled: found.length > 0 }).data?.runs ?? [];

  const go = (open: () => unknown) => () => {
    show(null);
    open();
    document.getElementById("content")?.focus({ preventScroll: true });
  };
  /** With the commit before it, which is asked for only now. */
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
    parsed.kind === "query" && !isAboutSeries(parsed.query) && isMatch(label, words);
  const pages = isProject ? [OVERVIEW, ...DAILY_PAGES, ...OTHER_PAGES] : [];
  const total = counts?.series_count;
  const groups: Group[] = [
    {
      name: "Pages",
      entries: pages
        .filter(({ label }) => isOffered(label))
        .map(({ to, label }) => ({
          key: `page ${label}`,
          label,
          open: go(() => navigate(to(project))),
        })),
    },
    {
      name: "Series",
      entries:
        !isProject || parsed.kind !== "query" || text.trim() === ""
          ? []
          : [
              ...(ofSeries === null ? [] : (series?.series ?? [])).map((entry) => ({
                key: `series ${entry.series_id}`,
                label: seriesLabel(entry),
                detail: seriesDetail(entry, query.figure ?? "p50"),
                open: go(() => navigate(toSeries(project, entry.series_id))),
              })),
              {
                key: "series all",
                label: `All ${ofSeries === null || total === undefined ? "" : `${counted(total, "series", "series")} `}in Explore`,
                detail: text.trim(),
                open: go(() => navigate(toFound(project, text.trim()))),
              },
            ],
    },
    {
      name: "Commits, each with the one before",
      entries: found.map((commit) => ({
        key: `commit ${commit.sha}`,
        label: commitLabel(commit),
        detail: `#${commit.ordinal}`,
        open: go(() => openCommit(commit)),
      })),
    },
    {
      name: "Runs",
      entries: runsOf(found, runs)
        .slice(0, RUNS_MAX)
        .map(({ run_id, machine, commit }) => ({
          key: `run ${run_id}`,
          label: `${machine} at ${commitLabel(commit)}`,
          open: go(() => navigate(toRun(project, run_id))),
        })),
    },
    {
      name: "Machines",
      entries: machines
        .filter(({ machine, os }) => words.length > 0 && isOffered(`${machine} ${os}`))
        .map(({ machine, os, arch }) => ({
          key: `machine ${machine}`,
          label: machine,
          detail: `${os}, ${arch}`,
          open: go(() => navigate(toMachine(project, machine))),
        })),
    },
    {
      name: "Saved views, in this browser",
      entries: [
        ...views
          .filter(({ name }) => isOffered(name))
          .map(
            ({ name, href }): Entry => ({
              key: `view ${name}`,
              label: name,
              detail: href,
              open: go(() => navigate({ href })),
            }),
          ),
        ...["Save this page as a view, rename, delete"]
          .filter((label) => isProject && isOffered(label))
          .map((label): Entry => ({ key: "views", label, open: () => show("views") })),
      ],
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
      name: "Help",
      entries: ["Keys: what each one does"]
        .filter(isOffered)
        .map((label) => ({ key: "keys", label, open: () => show("keys") })),
    },
  ];
  const problem =
    parsed.kind === "error"
      ? errorText(parsed.error)
      : resolved?.kind === "nothing" && isSearched
        ? resolved.because
        : null;
  return { groups: groups.filter(({ entries }) => entries.length > 0), problem };
}
