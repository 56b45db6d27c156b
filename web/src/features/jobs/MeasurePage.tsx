/** Asks for commits to be measured: which, where, how, and against which other. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client, dataOf } from "@/api/client";
import { ApiError } from "@/api/errors";
import { agentsQuery, commitsQuery, projectQuery, sessionQuery } from "@/api/queries";
import type { AgentSummary } from "@/api/types";
import { requestJobs } from "@/api/writes";
import { Allowed, Field, FieldGroup, Form, TextField, Tick } from "@/components/form";
import { Breadcrumb } from "@/components/ui/states";
import { shortSha } from "@/lib/commits";
import { useChange, useTitle } from "@/lib/hooks";
import type { MeasureSearch } from "@/lib/measure";
import { toJob, toQueue, toSettings } from "@/lib/paths";
import { complaintOf, requestOf, WHAT, WHERE, type What, type Where, type Wish } from "./data";

const route = getRouteApi("/$project/measure");

export function MeasurePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  useTitle(`Ask for a measurement of ${project}`);
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toQueue(project)}>Queue</Link>
          <>ask</>
        </Breadcrumb>
        <h1>Ask for a measurement</h1>
        <p className="lede">
          What people ask for goes before what schedules and pushes bring. What is open already is not asked
          for twice.
        </p>
        {summary.repository_url === null && (
          <p className="lede warning">
            Agents do not know where to fetch {project} from, and measure nothing of it until{" "}
            <Link {...toSettings(project)}>the settings</Link> say so.
          </p>
        )}
      </header>
      <div className="section">
        <Allowed session={session} project={project} action="queue" what="ask for measurements">
          {/* Another address is another wish. */}
          <MeasureForm key={JSON.stringify(search)} project={project} search={search} agents={agents} />
        </Allowed>
      </div>
    </>
  );
}

const WHAT_NAMES: Record<What, string> = {
  commits: "these commits",
  range: "all commits of a range that were not measured yet",
};
const WHERE_NAMES: Record<Where, string> = {
  all: "every machine",
  chosen: "chosen machines",
  any: "the first machine that is free, and no other",
};
/** Where the names of the newest commits are, to choose from. */
const OPTIONS = "measure-commits";

type Props = { project: string; search: MeasureSearch; agents: AgentSummary[] };

/** The form of a wish. What is wrong with it stands at its field, whether the page or the server finds it. */
function MeasureForm({ project, search, agents }: Props) {
  const navigate = useNavigate();
  const [wish, setWish] = useState(() => wishOf(search));
  const asking = useChange(
    (asked: Wish) => ask(project, asked),
    ["/api/v1/projects/{project}/jobs"],
    ([first, ...others]) =>
      first !== undefined && navigate(others.length === 0 ? toJob(project, first) : toQueue(project)),
  );
  const set = (change: Partial<Wish>) => {
    asking.reset();
    setWish({ ...wish, ...change });
  };
  const text = (name: "after" | "until" | "preset" | "labels" | "base") => ({
    name,
    value: wish[name],
    onChange: ({ target }: { target: HTMLInputElement }) => set({ [name]: target.value }),
  });
  const sha = { className: "sha", list: OPTIONS };
  return (
    <Form
      label="Ask for a measurement"
      submit="Ask"
      noValidate
      change={asking}
      outcome={
        asking.data?.length === 0 && (
          <span role="status">
            Nothing new: all of it is <Link {...toQueue(project)}>in the queue</Link> or measured.
          </span>
        )
      }
      onSubmit={() => asking.mutate(wish)}
    >
      <CommitOptions project={project} id={OPTIONS} />
      <FieldGroup legend="Measure">
        <Choices
          name="what"
          names={WHAT_NAMES}
          values={WHAT}
          value={wish.what}
          onChange={(what) => set({ what })}
        />
      </FieldGroup>
      {wish.what === "commits" ? (
        <Field
          label="Commits"
          name="commits"
          note="Full names, with blanks or line breaks between. The first digits do where the commit is known here."
        >
          {(input) => (
            <textarea
              {...input}
              rows={3}
              value={wish.commits}
              spellCheck={false}
              onChange={({ target }) => set({ commits: target.value })}
            />
          )}
        </Field>
      ) : (
        <>
          <TextField
            label="After"
            note="The commit that the range follows; it is not measured."
            {...text("after")}
            {...sha}
          />
          <TextField label="Until" note="The last commit of the range." {...text("until")} {...sha} />
        </>
      )}
      <FieldGroup legend="On" names={["machines", "on_any"]}>
        <Choices
          name="where"
          names={WHERE_NAMES}
          values={WHERE}
          value={wish.where}
          onChange={(where) => set({ where })}
        />
      </FieldGroup>
      {wish.where === "chosen" ? (
        <FieldGroup legend="Machines">
          <Machines agents={agents} chosen={wish.machines} onChange={(machines) => set({ machines })} />
        </FieldGroup>
      ) : (
        <TextField
          label="With labels"
          note="A machine must have all of them. With commas between; empty: none."
          placeholder="none"
          {...text("labels")}
        />
      )}
      <TextField
        label="Preset"
        note="Or the path of a definition in the repository. Empty: what the commit’s roundtrip.toml says."
        {...text("preset")}
      />
      <TextField
        label="Compared with"
        note="A commit that is measured in turns with each. Empty: each is measured by itself."
        {...text("base")}
        {...sha}
      />
    </Form>
  );
}

function wishOf({ commits = "", base = "", machine, preset = "" }: MeasureSearch): Wish {
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
  values: readonly T[];
  value: T;
  onChange: (value: T) => void;
};

function Choices<T extends string>({ name, names, values, value, onChange }: ChoicesProps<T>) {
  return values.map((entry) => (
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
  if (all.length === 0) return <p className="muted">No machine has an agent yet.</p>;
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
  if (agent === undefined) return "has no agent";
  const notes = [
    ...(agent.is_online ? [] : ["offline"]),
    ...(agent.is_enabled ? [] : ["disabled"]),
    ...(agent.failing.length > 0 ? ["failing"] : []),
    ...agent.labels,
  ];
  return notes.join(", ");
}

const OFFERED = 100;

/** The newest commits that are known here, for inputs that name one. */
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

const WHOLE = /^[0-9a-f]{40}$/;

/**
 * Asks, and returns the numbers of the new jobs.
 *
 * @throws ApiError when something is missing or refused; its `field` names what.
 */
export async function ask(project: string, wish: Wish): Promise<number[]> {
  const complaint = complaintOf(wish);
  if (complaint !== null) throw new ApiError(complaint.text, 400, "Something is missing", null, complaint);
  const request = requestOf(wish);
  const whole = (field: string) => (name: string) => wholeName(project, field, name);
  const { commits, after, until, base } = request;
  const { job_ids } = await requestJobs(project, {
    ...request,
    ...(commits !== undefined && { commits: await Promise.all(commits.map(whole("commits"))) }),
    ...(after != null && { after: await whole("after")(after) }),
    ...(until != null && { until: await whole("until")(until) }),
    ...(base != null && { base: await whole("base")(base) }),
  });
  return job_ids;
}

/** The full name of a commit by its first digits. One that nobody has measured is known by its full name alone. */
async function wholeName(project: string, field: string, name: string): Promise<string> {
  if (WHOLE.test(name)) return name;
  const params = { path: { project, sha: name } };
  try {
    const { commit } = await dataOf(client.GET("/api/v1/projects/{project}/commits/{sha}", { params }));
    return commit.sha;
  } catch (error) {
    if (!(error instanceof ApiError) || error.isTransient) throw error;
    const text = `${name} is no commit that is known here: expected its full name.`;
    throw new ApiError(text, error.status, error.title, error.requestId, { name: field, text });
  }
}
