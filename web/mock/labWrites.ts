/** The writes of the lab that the mock follows. */
import { aJob } from "@/test/lab";
import { found, type Mocks, nothing, Plain, Refusal } from "./endpoint";
import { actorOf, tell } from "./log";
import type { World } from "./world/world";

/** Which they are. */
export type LabWrites = {
  patch: Pick<Mocks<"patch">, "/api/v1/agents/{agent_id}">;
  post: Pick<
    Mocks<"post">,
    | "/api/v1/enrolments"
    | "/api/v1/projects"
    | "/api/v1/projects/{project}/jobs"
    | "/api/v1/projects/{project}/schedules"
  >;
  delete: Pick<
    Mocks<"delete">,
    | "/api/v1/agents/{agent_id}"
    | "/api/v1/projects/{project}/jobs/{job_id}"
    | "/api/v1/projects/{project}/schedules/{schedule_id}"
  >;
};

/** What the server says of something that it cannot take. */
const wrong = (name: string, detail: string) =>
  new Refusal(400, "invalid-parameter", "Something in the request is wrong", `parameter ${name}: ${detail}`);

const created = (body: unknown) =>
  new Plain(201, { "content-type": "application/json" }, JSON.stringify(body));

export const LAB_WRITES: LabWrites = {
  patch: {
    "/api/v1/agents/{agent_id}": (world, { path: { agent_id }, body }) => {
      const agent = agentOf(world, agent_id);
      agent.is_enabled = body.is_enabled ?? agent.is_enabled;
      agent.is_draining = agent.is_busy && !agent.is_enabled;
      agent.labels = body.labels ?? agent.labels;
      tell(world, "agent.change", `agent:${agent_id}`);
      return agent;
    },
  },
  post: {
    "/api/v1/enrolments": (world) => {
      tell(world, "enrolment.create", "enrolment:1");
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      return created({ code: "rte_this-lets-nobody-in", expires_at });
    },
    "/api/v1/projects": (world, { body: { project, ...settings } }) => {
      if (world.projects.some((entry) => entry.project === project)) {
        throw new Refusal(409, "taken", "It is taken", `there is a project ${project}`);
      }
      const made = {
        project,
        visibility: settings.visibility ?? "public",
        default_branch: settings.default_branch ?? null,
        repository_url: settings.repository_url ?? null,
        fails_on_regression: false,
      };
      world.projects.push(made);
      tell(world, "project.create", `project:${project}`);
      return created(made);
    },
    "/api/v1/projects/{project}/jobs": (world, { path, body }) => {
      if (body.preset === "..")
        throw wrong("preset", "expected the name of a preset, or a path within the repository");
      const commits = body.until == null ? (body.commits ?? []) : [body.until];
      if (commits.length === 0) throw wrong("commits", "expected 1 to 1000 of them, or `after` and `until`");
      const able = world.agents.map(({ machine }) => machine);
      const machines = body.on_any ? [null] : (body.machines ?? able);
      const jobs = machines.flatMap((machine) =>
        commits.map((commit_sha) =>
          aJob({
            commit_sha,
            machine,
            commit_ordinal: world.commit(commit_sha)?.ordinal ?? null,
            labels: machine === null ? (body.labels ?? []) : [],
            base_sha: body.base ?? null,
            preset: body.preset ?? null,
            reason: "request",
            regression_id: null,
            requested_by: actorOf(world),
            created_at: new Date().toISOString(),
          }),
        ),
      );
      let number = Math.max(0, ...world.jobs.map(({ job_id }) => job_id));
      for (const job of jobs) world.jobs.unshift({ ...job, job_id: ++number, attempts: [] });
      tell(world, "job.request", `project:${path.project}`);
      return created({ job_ids: jobs.map((_, index) => number - jobs.length + 1 + index) });
    },
    "/api/v1/projects/{project}/schedules": (world, { body }) => {
      if (body.cron.trim().split(/\s+/).length !== 5)
        throw wrong("cron", `\`${body.cron}\` is no time: expected five fields`);
      const schedule = {
        schedule_id: Math.max(0, ...world.schedules.map(({ schedule_id }) => schedule_id)) + 1,
        cron: body.cron,
        preset: body.preset ?? null,
        labels: body.labels ?? [],
        created_by: actorOf(world),
        next_at: new Date(Date.now() + 3_600_000).toISOString(),
      };
      world.schedules.push(schedule);
      tell(world, "schedule.create", `schedule:${schedule.schedule_id}`);
      return created(schedule);
    },
  },
  delete: {
    "/api/v1/agents/{agent_id}": (world, { path: { agent_id } }) => {
      const turned = agentOf(world, agent_id);
      world.agents = world.agents.filter((agent) => agent !== turned);
      tell(world, "agent.revoke", `agent:${agent_id}`);
      return nothing();
    },
    "/api/v1/projects/{project}/jobs/{job_id}": (world, { path: { job_id } }) => {
      const job = found(
        world.jobs.find((entry) => entry.job_id === Number(job_id)),
        "job",
        job_id,
      );
      if (job.done_at === null) {
        job.status = "cancelled";
        job.starts_at = null;
        job.done_at = new Date().toISOString();
        tell(world, "job.cancel", `job:${job_id}`);
      }
      return nothing();
    },
    "/api/v1/projects/{project}/schedules/{schedule_id}": (world, { path: { schedule_id } }) => {
      world.schedules = world.schedules.filter((schedule) => schedule.schedule_id !== Number(schedule_id));
      tell(world, "schedule.delete", `schedule:${schedule_id}`);
      return nothing();
    },
  },
};

function agentOf(world: World, agent_id: string) {
  return found(
    world.agents.find((agent) => agent.agent_id === Number(agent_id)),
    "agent",
    agent_id,
  );
}
