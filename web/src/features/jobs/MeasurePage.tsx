/** The form for a new job. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client, dataOf } from "@/api/client";
import { ApiError } from "@/api/errors";
import { agentsQuery, commitsQuery, projectQuery, sessionQuery } from "@/api/queries";
import type { AgentSummary } from "@/api/types";
import { requestJobs } from "@/api/writes";
import { Allowed, Field, FieldGroup, Form, LabelsField, TextField, Tick } from "@/components/form";
import { Breadcrumb } from "@/components/ui/states";
import { shortSha } from "@/lib/commits";
import { useChange, useTitle } from "@/lib/hooks";
import type { MeasureSearch } from "@/lib/measure";
import { toJob, toQueue, toSettings } from "@/lib/paths";
import { errorIn, type JobDraft, requestOf, WHAT, WHERE } from "./data";

const route = getRouteApi("/$project/measure");

export function MeasurePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  useTitle(`New job for ${project}`);
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toQueue(project)}>Queue</Link>
          <>new job</>
        </Breadcrumb>
        <h1>New job</h1>
        <p className="lede">Runs before scheduled jobs and pushes. Duplicates are skipped.</p>
        {summary.repository_url === null && (
          <p className="lede warning">
            No repository: agents cannot fetch {project}. Set it in the{" "}
            <Link {...toSettings(project)}>settings</Link>.
          </p>
        )}
      </header>
      <div className="section">
        <Allowed session={session} project={project} action="queue" what="queue jobs">
          {/* Another address resets the form. */}
          <MeasureForm key={JSON.stringify(search)} project={project} search={search} agents={agents} />
        </Allowed>
      </div>
    </>
  );
}

const OPTIONS = "measure-commits";

type Props = { project: string; search: MeasureSearch; agents: AgentSummary[] };

/** The form. Errors of the page and of the server are shown at their fields. */
function MeasureForm({ project, search, agents }: Props) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(search));
  const queueing = useChange(
    (wanted: JobDraft) => queueJobs(project, wanted),
    ["/api/v1/projects/{project}/jobs"],
    ([first, ...others]) =>
      first !== undefined && navigate(others.length === 0 ? toJob(project, first) : toQueue(project)),
  );
  const set = (change: Partial<JobDraft>) => {
    queueing.reset();
    setDraft({ ...draft, ...change });
  };
  const text = (name: "after" | "until" | "preset" | "labels" | "base") => ({
    name,
    value: draft[name],
    onChange: ({ target }: { target: HTMLInputElement }) => set({ [name]: target.value }),
  });
  const sha = { className: "sha", list: OPTIONS };
  return (
    <Form
      label="New job"
      submit="Queue job"
      noValidate
      change={queueing}
      outcome={
        queueing.data?.length === 0 && (
          <span role="status">
            Nothing to do: already <Link {...toQueue(project)}>queued</Link> or measured.
          </span>
        )
      }
      onSubmit={() => queueing.mutate(draft)}
    >
      <CommitOptions project={project} id={OPTIONS} />
      <FieldGroup legend="Measure">
        <Choices name="what" names={WHAT} value={draft.what} onChange={(what) => set({ what })} />
      </FieldGroup>
      {draft.what === "commits" ? (
        <Field label="Commits" name="commits" note="SHAs, separated by spaces or line breaks.">
          {(input) => (
            <textarea
              {...input}
              rows={3}
              value={draft.commits}
              spellCheck={false}
              onChange={({ target }) => set({ commits: target.value })}
            />
          )}
        </Field>
      ) : (
        <>
          <TextField label="After" note="Not included." {...text("after")} {...sha} />
          <TextField label="Until" note="Included." {...text("until")} {...sha} />
        </>
      )}
      <FieldGroup legend="Run on" names={["machines", "on_any"]}>
        <Choices name="where" names={WHERE} value={draft.where} onChange={(where) => set({ where })} />
      </FieldGroup>
      {draft.where === "chosen" ? (
        <FieldGroup legend="Machines">
          <Machines agents={agents} chosen={draft.machines} onChange={(machines) => set({ machines })} />
        </FieldGroup>
      ) : (
        <LabelsField of="job" {...text("labels")} />
      )}
      <TextField
        label="Preset"
        note="A preset or the path of a definition. Empty: from roundtrip.toml."
        {...text("preset")}
      />
      <TextField label="Base" note="Optional: alternates with each commit." {...text("base")} {...sha} />
    </Form>
  );
}

function draftOf({ commits = "", base = "", machine, preset = "" }: MeasureSearch): JobDraft {
  return {
    what: "commits",
    commits: commits.split(".").join("\n"),
    after: "",
    until: "",
    where: machine === undefined ? "all" : "chosen",
    machines: machine === undefined ? [] : [machine],
    labels: "",
    preset,
    base,
  };
}

type ChoicesProps<T extends string> = {
  name: string;
  names: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
};

function Choices<T extends string>({ name, names, value, onChange }: ChoicesProps<T>) {
  return (Object.keys(names) as T[]).map((entry) => (
    <Tick
      key={entry}
      type="radio"
      name={name}
      label={names[entry]}
      checked={entry === value}
      onChange={() => onChange(entry)}
    />
  ));
}

type MachinesProps = { agents: AgentSummary[]; chosen: string[]; onChange: (machines: string[]) => void };

function Machines({ agents, chosen, onChange }: MachinesProps) {
  const able = agents.map(({ machine }) => machine);
  const all = [...able, ...chosen.filter((name) => !able.includes(name))];
  if (all.length === 0) return <p className="muted">No agents</p>;
  return all.map((machine) => (
    <Tick
      key={machine}
      label={machine}
      note={noteOf(agents.find((agent) => agent.machine === machine))}
      checked={chosen.includes(machine)}
      onChange={({ target }) =>
        onChange(target.checked ? [...chosen, machine] : chosen.filter((name) => name !== machine))
      }
    />
  ));
}

function noteOf(agent: AgentSummary | undefined): string {
  if (agent === undefined) return "no agent";
  const notes = [
    ...(agent.is_online ? [] : ["offline"]),
    ...(agent.is_enabled ? [] : ["disabled"]),
    ...(agent.failing.length > 0 ? ["failing"] : []),
    ...agent.labels,
  ];
  return notes.join(", ");
}

const OFFERED = 100;

function CommitOptions({ project, id }: { project: string; id: string }) {
  const { data } = useQuery(commitsQuery(project, { limit: OFFERED }));
  return (
    <datalist id={id}>
      {data?.commits.map(({ sha, subject }) => (
        <option key={sha} value={sha} label={`${shortSha(sha)} ${subject}`} />
      ))}
    </datalist>
  );
}

const FULL_SHA = /^[0-9a-f]{40}$/;

/**
 * Queues the jobs, and returns their numbers.
 *
 * @throws ApiError if a value is missing or rejected; `field` names it.
 */
async function queueJobs(project: string, draft: JobDraft): Promise<number[]> {
  const error = errorIn(draft);
  if (error !== null) throw new ApiError(error.text, 400, "Missing value", null, error);
  const request = requestOf(draft);
  const full = (field: string) => (name: string) => fullSha(project, field, name);
  const { commits, after, until, base } = request;
  const { job_ids } = await requestJobs(project, {
    ...request,
    ...(commits !== undefined && { commits: await Promise.all(commits.map(full("commits"))) }),
    ...(after != null && { after: await full("after")(after) }),
    ...(until != null && { until: await full("until")(until) }),
    ...(base != null && { base: await full("base")(base) }),
  });
  return job_ids;
}

/** Resolves a short SHA. Unmeasured commits need their full SHA. */
async function fullSha(project: string, field: string, name: string): Promise<string> {
  if (FULL_SHA.test(name)) return name;
  const params = { path: { project, sha: name } };
  try {
    const { commit } = await dataOf(client.GET("/api/v1/projects/{project}/commits/{sha}", { params }));
    return commit.sha;
  } catch (error) {
    if (!(error instanceof ApiError) || error.isTransient) throw error;
    const text = `Unknown commit ${name}. Enter its full SHA.`;
    throw new ApiError(text, error.status, error.title, error.requestId, { name: field, text });
  }
}
