/** What the server has measured, and the addresses of the pages that show it best. */
import type { APIRequestContext } from "@playwright/test";
import { answersOf } from "../../bench/support/answers";

/** The project's own transport, whose commits were measured. */
const TRANSPORT = "courier";
/** The commit whose page shows most: the one that made messages slower. */
const CULPRIT = "Send a message in parts";
/** The definition with the most cases. */
const PRESET = "nightly";

export type Measured = {
  project: string;
  machine: string;
  series: number;
  culprit: string;
  before: string;
  regression: number;
  pullRequest: number;
  run: string;
};

/** Asks the server. What it has not measured is an error that names it: a page without content is no picture. */
export async function measured(request: APIRequestContext, project: string): Promise<Measured> {
  const get = answersOf(request, project);
  const { series } = await get(
    "/api/v1/projects/{project}/series",
    `transport=${TRANSPORT}&scenario=roundtrip&limit=200`,
  );
  const { commits } = await get("/api/v1/projects/{project}/commits", "limit=100");
  const { regressions } = await get("/api/v1/projects/{project}/regressions", "quiet=true");
  const { pull_requests } = await get("/api/v1/projects/{project}/pull-requests");
  const { runs } = await get("/api/v1/projects/{project}/runs", "limit=100");
  const place = commits.findIndex(({ subject }) => subject === CULPRIT);
  const run = there(
    runs.find(({ preset }) => preset === PRESET),
    `run of ${PRESET}`,
  );
  const shown = series.find(
    ({ case: kase }) => kase.message_bytes === 1024 && kase.mode === "2proc" && kase.placement === "same-cpu",
  );
  return {
    project,
    machine: run.machine,
    series: there(shown, `series of ${TRANSPORT} at 1 KiB`).series_id,
    culprit: there(commits[place], `commit ${CULPRIT}`).sha,
    // The newest commits come first.
    before: there(commits[place + 1], `commit before ${CULPRIT}`).sha,
    regression: there(
      regressions.find(({ direction }) => direction === "regressed"),
      "regression",
    ).regression_id,
    pullRequest: there(pull_requests[0], "pull request").pull_request,
    run: run.run_id,
  };
}

function there<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`The server has no ${name}.`);
  return value;
}
