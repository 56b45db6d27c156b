/** Selects the measured series, commits and runs that make good pictures. */
import type { APIRequestContext } from "@playwright/test";
import { answersOf } from "../../bench/support/answers";

/** The transport that the project measures at each commit. */
const TRANSPORT = "courier";
/** The subject of the commit that made messages slower. Its page shows most. */
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

/**
 * Reads the data to show.
 *
 * @throws if something is missing, because its page would be empty.
 */
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
  const run = required(
    runs.find(({ preset }) => preset === PRESET),
    `run of ${PRESET}`,
  );
  const shown = series.find(
    ({ case: kase }) => kase.message_bytes === 1024 && kase.mode === "2proc" && kase.placement === "same-cpu",
  );
  const culprit = required(commits[place], `commit ${CULPRIT}`).sha;
  // The newest commits come first. Commits during which the machine changed are not comparable.
  const isComparable = async ({ sha }: (typeof commits)[number]) => {
    const { counts } = await get("/api/v1/projects/{project}/compare", `base=${sha}&head=${culprit}&limit=1`);
    return counts.slower > 0;
  };
  let before: string | undefined;
  for (const commit of commits.slice(place + 1)) {
    if (before === undefined && (await isComparable(commit))) before = commit.sha;
  }
  return {
    project,
    machine: run.machine,
    series: required(shown, `series of ${TRANSPORT} at 1 KiB`).series_id,
    culprit,
    before: required(before, `comparable commit before ${CULPRIT}`),
    regression: required(
      regressions.find(({ direction }) => direction === "regressed"),
      "regression",
    ).regression_id,
    pullRequest: required(pull_requests[0], "pull request").pull_request,
    run: run.run_id,
  };
}

function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`The server has no ${name}.`);
  return value;
}
