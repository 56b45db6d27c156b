import { getResponse } from "msw";
import { expect, it } from "vitest";
import type { BudgetSeries } from "@/api/types";
import { budgetsOf, elapsedNs } from "@/lib/budget";
import { messagesPerOperation } from "@/lib/cases";
import { stateOf } from "./endpoint";
import { mockApi } from "./handlers";

type Body = Record<string, unknown>;
type Api = ReturnType<typeof mockApi>;

async function ask(api: Api, method: string, url: string, body?: unknown) {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await getResponse(api.handlers, new Request(new URL(url, "http://mock"), init));
  if (answer === undefined) throw new Error(`${url} is not the API's.`);
  const text = await answer.text();
  return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
}

it("ignores paths outside the API", async () => {
  const { handlers } = mockApi();
  for (const path of ["/src/main.tsx", "/src/api/client.ts"]) {
    expect(await getResponse(handlers, new Request(`http://mock${path}`))).toBeUndefined();
  }
});

it("responds with a problem for unknown items", async () => {
  const api = mockApi();
  expect((await ask(api, "GET", "/api/v1/nothing")).status).toBe(404);
  const { status, body } = await ask(api, "GET", "/api/v1/projects/other");
  expect({ status, code: body.code }).toEqual({ status: 404, code: "unknown-project" });
  expect((await ask(api, "POST", "/api/v1/import", {})).status).toBe(501);
});

it("stores the triage of a regression", async () => {
  const api = mockApi();
  const url = "/api/v1/projects/libfoo/regressions";
  const states = async () => (await ask(api, "GET", `${url}?state=new`)).body.regressions as Body[];
  expect(await states()).toHaveLength(2);
  const { body } = await ask(api, "PATCH", `${url}/1`, { state: "acknowledged", note: "Looked at." });
  expect(body.regression).toMatchObject({ state: "acknowledged", note: "Looked at." });
  expect(await states()).toHaveLength(1);
  expect((await ask(mockApi(), "GET", `${url}?state=new`)).body.regressions).toHaveLength(2);
});

it("stores project settings", async () => {
  const api = mockApi();
  const stored = async (change: object) => {
    await ask(api, "PATCH", "/api/v1/projects/libfoo", change);
    return (await ask(api, "GET", "/api/v1/projects/libfoo")).body;
  };
  expect(await stored({ visibility: "private", least_change: 0.02 })).toMatchObject({
    visibility: "private",
    least_change: 0.02,
  });
  expect((await stored({ least_change: null })).least_change).toBeNull();
});

it("creates and revokes tokens", async () => {
  const api = mockApi();
  const names = async () => {
    const { tokens } = (await ask(api, "GET", "/api/v1/tokens")).body;
    return (tokens as Body[]).map(({ name }) => name);
  };
  const made = await ask(api, "POST", "/api/v1/tokens", {
    kind: "agent",
    name: "lab-3",
    expires_in_days: 90,
  });
  expect(made.body).toMatchObject({ token: { name: "lab-3", scopes: ["ingest:write"] } });
  expect(await names()).toContain("lab-3");
  expect((await ask(api, "DELETE", "/api/v1/tokens/1")).status).toBe(204);
  expect(await names()).not.toContain("lab-linux-1");
});

it("queues and cancels jobs", async () => {
  const api = mockApi();
  const url = "/api/v1/projects/libfoo/jobs";
  const asked = await ask(api, "POST", url, { commits: ["a".repeat(40)], machines: ["lab-linux-1"] });
  const [job_id] = asked.body.job_ids as number[];
  expect((await ask(api, "GET", `${url}/${job_id}`)).body.status).toBe("queued");
  await ask(api, "DELETE", `${url}/${job_id}`);
  expect((await ask(api, "GET", `${url}/${job_id}`)).body.status).toBe("cancelled");
  await ask(api, "PATCH", "/api/v1/agents/1", { is_enabled: false });
  const { agents } = (await ask(api, "GET", "/api/v1/projects/libfoo/agents")).body;
  expect((agents as Body[])[0]).toMatchObject({ is_enabled: false, is_draining: true });
});

it("has budgets that add up to the time and the overlap, except for imports and old points", async () => {
  const api = mockApi();
  const { world } = api;
  const ids = world.series.map(({ summary }) => summary.series_id);
  const { body } = await ask(api, "GET", `/api/v1/charts/budget?series=${ids}`);
  const answer = new Map((body.series as BudgetSeries[]).map((columns) => [columns.series_id, columns]));
  for (const series of world.series) {
    const columns = answer.get(series.summary.series_id);
    const budgets = columns === undefined ? [] : budgetsOf(columns);
    const points = new Map(world.pointsOf(series).map((point) => [point.commit_ordinal, point]));
    if (series.isImported) expect(budgets).toEqual([]);
    else expect(budgets.length > 0).toBe(points.size > 0);
    for (const budget of budgets) {
      const p50 = points.get(budget.ordinal)?.latency_ns.p50 ?? 0;
      expect(elapsedNs(budget)).toBeCloseTo(p50 / (messagesPerOperation(series.summary.case) ?? 1));
    }
  }
});

it("paginates lists", async () => {
  const api = mockApi();
  const url = "/api/v1/projects/libfoo/runs?limit=50";
  const first = (await ask(api, "GET", url)).body;
  const second = (await ask(api, "GET", `${url}&after=${first.next_after}`)).body;
  const ids = [first, second].flatMap(({ runs }) => (runs as Body[]).map(({ run_id }) => run_id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(second.next_after).toBeNull();
});

it("has a drift, a regression on both machines and a slower machine", async () => {
  const { body } = await ask(mockApi(), "GET", "/api/v1/projects/libfoo/regressions");
  const summaries = (body.regressions as Body[]).map(({ kind, cause, direction, machines }) => [
    kind,
    cause,
    direction,
    machines,
  ]);
  expect(summaries).toEqual([
    ["drift", "commit", "regressed", ["lab-arm-1", "lab-linux-1"]],
    ["step", "machine", "regressed", ["lab-arm-1"]],
    ["step", "commit", "regressed", ["lab-arm-1", "lab-linux-1"]],
    ["step", "commit", "improved", ["lab-arm-1", "lab-linux-1"]],
  ]);
});

it("rejects an unknown state", () => {
  expect(stateOf(undefined)).toBe("usual");
  expect(() => stateOf("broken")).toThrow("expected one of usual, empty");
});

it("creates, disables and deletes channels", async () => {
  const api = mockApi();
  const url = "/api/v1/projects/libfoo/channels";
  const names = async () => ((await ask(api, "GET", url)).body.channels as Body[]).map(({ name }) => name);
  const request = { name: "bugs", kind: "webhook", target: "https://bugs.example.org/hook" };
  const made = await ask(api, "POST", url, request);
  expect(made.body).toMatchObject({ channel: { name: "bugs", target: "bugs.example.org/…", enabled: true } });
  expect(await names()).toContain("bugs");
  const { channel_id } = made.body.channel as { channel_id: number };
  const changed = await ask(api, "PATCH", `${url}/${channel_id}`, { enabled: false });
  expect(changed.body).toMatchObject({ enabled: false, events: ["regressed"] });
  expect((await ask(api, "DELETE", `${url}/${channel_id}`)).status).toBe(204);
  expect(await names()).not.toContain("bugs");
});
