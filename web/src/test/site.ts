/** A static site with the data of the API mock: its files by name, and a host for them. */
import { getResponse } from "msw";
import { vi } from "vitest";
import type { Point, PointList, RunList, RunSummary, StatedPoint } from "@/api/types";
import type { mockApi } from "../../mock/handlers";
import { nameOf, pathOf } from "../site/files";

const ORIGIN = "https://pages.example.org";
/** The folder of the site. */
export const SITE = `${ORIGIN}/benchmarks/`;

type Api = ReturnType<typeof mockApi>;
type Query = Record<string, string | number>;

/** The response of the mock server. */
export async function asked(api: Api, path: string, query: Query = {}) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const response = await getResponse(api.handlers, new Request(`${ORIGIN}/api/v1/${path}?${parameters}`));
  if (response === undefined) throw new Error(`${path} is not the API's.`);
  return { status: response.status, body: await response.json() };
}

const ALL = { limit: 10_000 };
const QUANTILES = "min,p25,p50,p75,p90,p98,p99,p999,max";
const LINE = { quantiles: QUANTILES, rate: "true", last: 10_000, points: 10_000 };
export const DETAILED_RUNS = 6;

/** The files that a generator writes for the mock's projects. */
export async function siteOf(api: Api): Promise<Map<string, unknown>> {
  const files = new Map<string, unknown>([["site", { detailed_runs: DETAILED_RUNS }]]);
  const { world } = api;
  const store = async (path: string, sent: Query = {}, named: Query = {}) => {
    const { status, body } = await asked(api, path, { ...sent, ...named });
    if (status === 200) files.set(nameOf(path, named), body);
  };
  for (const path of ["session", "references", "size-profiles"]) await store(path);
  await store("projects", ALL);
  for (const { project } of world.projects) {
    const path = `projects/${project}`;
    await store(path);
    await store(`${path}/error-rates`);
    for (const list of ["machines", "pull-requests", "commits", "runs", "series", "suspicions"]) {
      await store(`${path}/${list}`, ALL);
    }
    await store(`${path}/regressions`, { ...ALL, quiet: "true" });
    for (const { machine } of world.machinesOf(project)) {
      await store(`${path}/machines/${machine}/canaries`, { last: 1000 });
      await store(`${path}/machines/${machine}/environments`);
      await store(`${path}/machines/${machine}/history`);
    }
  }
  const path = `projects/${world.project}`;
  const series = world.series.map(({ summary }) => summary.series_id).join();
  for (const [chart, sent] of [
    ["charts/line", LINE],
    ["charts/budget", { last: 10_000 }],
  ] as const) {
    const { body } = await asked(api, chart, { ...sent, series });
    for (const own of body.series) files.set(nameOf(chart, { series: own.series_id }), { series: [own] });
  }
  const { runs } = (await asked(api, `${path}/runs`, ALL)).body as RunList;
  const points = (await asked(api, "points", { ...ALL, series })).body as PointList;
  for (const { series_id, ...own } of points.series) {
    files.set(nameOf("points", { series: series_id }), {
      points: own.points.map((point) => placed(point, runs)),
      summaries: own.summaries.map((point) => placed(point, runs)),
    });
  }
  const changes = await asked(api, "charts/changes", { series });
  files.set(nameOf("charts/changes", { project: world.project }), changes.body);
  for (const { regression_id } of world.regressions) await store(`${path}/regressions/${regression_id}`);
  const detailed = world.runs.slice(0, DETAILED_RUNS).map(({ run_id }) => run_id);
  for (const run_id of detailed) await store(`runs/${run_id}`);
  files.set("detailed-runs", detailed);
  for (const { machine } of world.machinesOf(world.project)) {
    const place = {
      machine,
      mode: "2proc",
      over: "message_bytes",
      placement: "same-cpu",
      scenario: "roundtrip",
    };
    await store(`${path}/charts/sweep`, {}, place);
  }
  const [base, head] = world.commits.slice(-2).map(({ sha }) => sha);
  await store(`${path}/compare`, {}, { base: base ?? "", head: head ?? "" });
  return files;
}

/** A point with the place of its run, from the oldest, instead of what the list of runs has. */
function placed(point: Point | StatedPoint, runs: readonly RunSummary[]) {
  const { run_id, commit_sha, commit_ordinal, measured_at, work_tree_modified, ...own } = point;
  return { ...own, run: runs.length - 1 - runs.findIndex((run) => run.run_id === run_id) };
}

/** Replaces `fetch` by a host that knows only these files. Returns the requested addresses. */
export function host(files: ReadonlyMap<string, unknown>, body = (text: string): BodyInit => text): string[] {
  const requests: string[] = [];
  const known = new Map([...files].map(([name, contents]) => [`${SITE}data/${pathOf(name)}`, contents]));
  vi.stubGlobal("fetch", async (request: URL | string | Request) => {
    const url = request instanceof Request ? request.url : String(request);
    requests.push(url);
    return known.has(url)
      ? new Response(body(JSON.stringify(known.get(url))))
      : new Response("<!doctype html>Not found", { status: 404 });
  });
  return requests;
}

/** Replaces the document by one that the generator has marked, where tests have none. */
export function mark(): void {
  vi.stubGlobal("document", { baseURI: `${SITE}#/`, querySelector: () => ({ content: "./data/" }) });
}
