/** Answers from files, compared with those of the mock server with the same data. */

import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { ChangePointList, Regression, RunList } from "@/api/types";
import { aRegression } from "@/test/fixtures";
import { asked, DETAILED_RUNS, host, mark, SITE, siteOf } from "@/test/site";
import { mockApi } from "../../mock/handlers";
import { forgetFiles } from "./files";
import { answer } from "./index";

const api = mockApi();
const { world } = api;
const P = `projects/${world.project}`;
let files: ReadonlyMap<string, unknown>;
let requests: string[];

beforeAll(async () => {
  files = await siteOf(api);
});
beforeEach(() => {
  mark();
  requests = host(files);
});
afterEach(() => {
  vi.unstubAllGlobals();
  forgetFiles();
});

// biome-ignore lint/suspicious/noExplicitAny: the type of a body depends on its path.
type Body = any;

async function ask(path: string, init?: RequestInit) {
  const response = await answer(new Request(`${SITE}api/v1/${path}`.replace("/benchmarks", ""), init));
  return { status: response.status, type: response.headers.get("content-type"), body: await response.json() };
}

/** The same request to both. */
async function both(path: string) {
  const [plain = "", query] = path.split("?");
  const expected = await asked(api, plain, Object.fromEntries(new URLSearchParams(query)));
  const found = await ask(path);
  expect(found.status).toBe(expected.status);
  return { expected: expected.body, found: found.body };
}

it.each([
  "session",
  "projects",
  P,
  `${P}/machines`,
  `${P}/machines/lab-linux-1/environments`,
  `${P}/machines/lab-linux-1/history`,
  `${P}/machines/lab-linux-1/canaries?last=5`,
  `${P}/error-rates`,
  `${P}/runs`,
  `${P}/runs?limit=10&after=20`,
  `${P}/runs?machine=lab-arm-1&limit=7`,
  `${P}/runs?pull_request=${world.pullRequests[0]?.pull_request}`,
  `${P}/commits?limit=5`,
  `${P}/commits?from=3&to=6`,
  `${P}/commits?to=9&limit=1`,
  `${P}/pull-requests`,
  `${P}/regressions`,
  `${P}/regressions?quiet=true`,
  `${P}/regressions?state=new,acknowledged&direction=regressed`,
  `${P}/regressions/1`,
  `${P}/suspicions?state=waiting`,
  `${P}/series?limit=20`,
  `${P}/series?transport=pipe,tcp&machine=lab-linux-1&after=2`,
  `${P}/series?message_bytes=64,1024&scenario=roundtrip`,
  `${P}/series/facets`,
  `${P}/series/facets?transport=pipe&machine=lab-linux-1&message_bytes=64`,
  "series/7",
  "charts/line?series=1,2,3",
  "charts/line?series=3,1&quantiles=p25,p999&repetitions=false&last=5",
  "charts/line?series=2&from=10&to=20&rate=true",
  "charts/budget?series=1,2",
  "charts/budget?series=2&last=3",
  "charts/budget?series=1&from=5&to=8",
  `runs/${world.runs[0]?.run_id}`,
  `runs/${world.runs[0]?.run_id}?series=1,3`,
  `${P}/charts/sweep?over=message_bytes&machine=lab-linux-1&scenario=roundtrip&mode=2proc&placement=same-cpu`,
])("answers %s as a server does", async (path) => {
  const { expected, found } = await both(path);
  expect(found).toEqual(expected);
});

it("returns the change points of some series", async () => {
  const [own] = (files.get(`charts/changes?project=${world.project}`) as ChangePointList).change_points;
  const { expected, found } = await both(`charts/changes?series=1,${own?.series_id}`);
  expect(found.change_points.length).toBeGreaterThan(0);
  expect(found.change_points).toHaveLength(expected.change_points.length);
  expect(new Set(found.change_points)).toEqual(new Set(expected.change_points));
});

it("joins points with their commits", async () => {
  const { expected, found } = await both("points?series=1,2&from=10&to=12&limit=2");
  expect(found.series).toEqual(expected.series);
  expect(found.commits.map(({ ordinal }: { ordinal: number }) => ordinal)).toEqual([11, 12]);
});

it("returns only points of the main line if asked to", async () => {
  const run = world.runs.find(
    ({ pull_request, machine }) => pull_request !== null && machine === "lab-linux-1",
  );
  const name = "points?series=1";
  const stored = structuredClone(files.get(name)) as { points: object[] };
  const { runs } = files.get(`${P}/runs`) as RunList;
  const place = runs.length - 1 - runs.findIndex(({ run_id }) => run_id === run?.run_id);
  stored.points.push({ ...stored.points.at(-1), run: place });
  host(new Map([...files, [name, stored]]));
  const idsOf = async (lines: string) =>
    (await ask(`points?series=1&lines=${lines}`)).body.series[0].points.map(
      ({ run_id }: { run_id: string }) => run_id,
    );
  expect(await idsOf("all")).toContain(run?.run_id);
  expect(await idsOf("main")).not.toContain(run?.run_id);
  expect(await idsOf("main")).not.toHaveLength(0);
});

it("lists muted and held regressions only if asked to", async () => {
  const in_ms = (ms: number) => new Date(Date.now() + ms).toISOString();
  const regressions = [
    aRegression({ regression_id: 4, muted_until: in_ms(60_000) }),
    aRegression({ regression_id: 3, held_because: "the machine is suspect" }),
    aRegression({ regression_id: 2, muted_until: in_ms(-60_000) }),
    aRegression({ regression_id: 1 }),
  ];
  host(new Map([[`${P}/regressions`, { regressions, next_after: null }]]));
  const idsOf = async (query: string) =>
    (await ask(`${P}/regressions${query}`)).body.regressions.map((entry: Regression) => entry.regression_id);
  expect(await idsOf("")).toEqual([2, 1]);
  expect(await idsOf("?quiet=true")).toEqual([4, 3, 2, 1]);
});

it("finds a commit by the beginning of its SHA, with its runs", async () => {
  const sha = world.commits[5]?.sha ?? "";
  const { expected, found } = await both(`${P}/commits/${sha.slice(0, 8)}`);
  const { parents: _, ...known } = expected;
  expect(found).toMatchObject(known);
});

it("compares stored commits, and runs that are the only ones of theirs", async () => {
  const [base, head] = world.commits.slice(-2).map(({ sha }) => sha);
  const { expected, found } = await both(
    `${P}/compare?base=${base}&head=${head}&kind=slower,faster&machine=lab-arm-1`,
  );
  expect(found.counts).toEqual(expected.counts);
  expect(found.pairs).toEqual(expected.pairs);
  const run = world.runs.find(({ commit }) => commit.sha === head);
  const refused = await ask(`${P}/compare?base=${base}&head=${run?.run_id}`);
  expect(refused).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("has several runs") },
  });
  const list = { runs: [run], next_after: null };
  host(new Map([...files, [`${P}/runs`, list]]));
  forgetFiles();
  const single = await ask(`${P}/compare?base=${base}&head=${run?.run_id}`);
  expect(single.body.head).toMatchObject({ run_id: run?.run_id, commit: { sha: head } });
});

it("names what the site has for runs and comparisons without files", async () => {
  const run = await ask(`runs/${world.runs.at(-1)?.run_id}`);
  expect(run).toMatchObject({ status: 404, type: "application/problem+json", body: { code: "unknown-run" } });
  expect(run.body.detail).toContain(
    `the newest ${DETAILED_RUNS} runs per project and of runs at regressions`,
  );
  expect(run.body.detail).toContain("roundtrip-server import-site");
  const [base, head] = [world.commits[0]?.sha, world.commits[9]?.sha];
  const comparison = await ask(`${P}/compare?base=${base}&head=${head}`);
  expect(comparison).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("`roundtrip compare`") },
  });
  expect(comparison.body.detail).toContain(`the newest ${DETAILED_RUNS} measured commits of the main line`);
  const sweep = `${P}/charts/sweep?over=message_bytes&machine=lab-linux-1&scenario=roundtrip`;
  expect(await ask(`${sweep}&commit=${head}`)).toMatchObject({
    status: 404,
    body: { code: "unknown-sweep" },
  });
});

it.each([
  ["points?series=1&limit=0", ({ series }) => [...series[0].points, ...series[0].summaries]],
  [`${P}/machines/lab-linux-1/canaries?last=0`, ({ readings }) => readings],
] satisfies [string, (body: Body) => unknown[]][])("returns no entries for %s", async (path, entriesOf) => {
  const { status, body } = await ask(path);
  expect(status).toBe(200);
  expect(entriesOf(body)).toEqual([]);
});

it("reports data that it cannot read as a temporary failure", async () => {
  const failure = { status: 503, type: "application/problem+json" };
  const problem = { code: "unreadable-data", title: "Site data not readable" };
  vi.stubGlobal("fetch", async () => new Response("", { status: 500 }));
  expect(await ask("session")).toMatchObject({
    ...failure,
    body: { ...problem, detail: expect.stringMatching(/^Cannot read the site's data: .* got status 500/) },
  });
  vi.stubGlobal("fetch", async () => new Response("{"));
  expect(await ask(`${P}/runs`)).toMatchObject({ ...failure, body: problem });
  expect(await ask("projects/%")).toMatchObject({ ...failure, body: problem });
  host(files);
  expect((await ask("session")).status).toBe(200);
});

it("has no lines for places without series, and asks for no file", async () => {
  const { body } = await ask(`${P}/charts/sweep?over=peers&machine=lab-linux-1&scenario=nothing`);
  expect(body).toEqual({ over: "peers", commit: null, distinguished_by: [], lines: [], crossovers: [] });
  expect(requests.filter((url) => url.includes("sweep"))).toEqual([]);
});

it("has no lab, and rejects changes and wrong parameters", async () => {
  expect((await ask(`${P}/jobs?done=false`)).body).toEqual({ jobs: [], next_after: null });
  expect((await ask(`${P}/regressions/1`, { method: "PATCH", body: "{}" })).status).toBe(405);
  expect(await ask("charts/line?series=x")).toMatchObject({
    status: 400,
    body: { code: "invalid-parameter", detail: "parameter series: `x` is not a whole number" },
  });
  expect((await ask("series/99999")).status).toBe(404);
  expect((await ask("projects/nothing")).status).toBe(404);
});
