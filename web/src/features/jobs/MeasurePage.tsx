/** Asks for commits to be measured: which, where, how, and against which other. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { client, dataOf } from "@/api/client";
import { ApiError } from "@/api/errors";
import { agentsQuery, commitsQuery, projectQuery, sessionQuery } from "@/api/queries";
import type { AgentSummary } from "@/api/types";
import { requestJobs } from "@/api/writes";
import { Field, FieldGroup, FormError, NotAllowed } from "@/components/form";
import { refusal } from "@/lib/access";
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
        <nav aria-label="Breadcrumb">
          <ol className="breadcrumb">
            <li>
              <Link {...toQueue(project)}>Queue</Link>
            </li>
            <li>ask</li>
          </ol>
        </nav>
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
        {refusal(session, project, "queue") === null ? (
          // Another address is another wish.
          <MeasureForm key={JSON.stringify(search)} project={project} search={search} agents={agents} />
        ) : (
          <NotAllowed session={session} project={project} action="queue" what="ask for measurements" />
        )}
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
/** Those beside which the server’s words stand. */
const FIELDS = ["commits", "after", "until", "machines", "labels", "on_any", "preset", "base"];
/** Where the names of the newest commits are, to choose from. */
const OPTIONS = "measure-commits";

type Props = { project: string; search: MeasureSearch; agents: AgentSummary[] };

/** The form of a wish. What is wrong with it stands at its field, whether the page or the server finds it. */
export function MeasureForm({ project, search, agents }: Props) {
  const navigate = useNavigate();
  const [wish, setWish] = useState(() => wishOf(search));
  const asking = useChange((asked: Wish) => ask(project, asked), ["/api/v1/projects/{project}/jobs"]);
  const { error } = asking;
  const set = (change: Partial<Wish>) => {
    asking.reset();
    setWish({ ...wish, ...change });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    asking.mutate(wish, {
      onSuccess: ([first, ...others]) => {
        if (first !== undefined) navigate(others.length === 0 ? toJob(project, first) : toQueue(project));
      },
    });
  };
  const text = (name: "after" | "until" | "preset" | "labels" | "base") => ({
    value: wish[name],
    spellCheck: false,
    autoComplete: "off",
    onChange: ({ target }: { target: HTMLInputElement }) => set({ [name]: target.value }),
  });
  return (
    <form className="form" onSubmit={submit} noValidate aria-label="Ask for a measurement">
      <CommitOptions project={project} id={OPTIONS} />
      <FieldGroup legend="Measure" names={[]} error={error}>
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
          error={error}
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
          <Field
            label="After"
            name="after"
            error={error}
            note="The commit that the range follows; it is not measured."
          >
            {(input) => <input {...input} {...text("after")} className="sha" list={OPTIONS} />}
          </Field>
          <Field label="Until" name="until" error={error} note="The last commit of the range.">
            {(input) => <input {...input} {...text("until")} className="sha" list={OPTIONS} />}
          </Field>
        </>
      )}
      <FieldGroup legend="On" names={["machines", "on_any"]} error={error}>
        <Choices
          name="where"
          names={WHERE_NAMES}
          values={WHERE}
          value={wish.where}
          onChange={(where) => set({ where })}
        />
      </FieldGroup>
      {wish.where === "chosen" ? (
        <FieldGroup legend="Machines" names={[]} error={error}>
          <Machines agents={agents} chosen={wish.machines} onChange={(machines) => set({ machines })} />
        </FieldGroup>
      ) : (
        <Field
          label="With labels"
          name="labels"
          error={error}
          note="A machine must have all of them. With commas between; empty: none."
        >
          {(input) => <input {...input} {...text("labels")} placeholder="none" />}
        </Field>
      )}
      <Field
        label="Preset"
        name="preset"
        error={error}
        note="Or the path of a definition in the repository. Empty: what the commit’s roundtrip.toml says."
      >
        {(input) => <input {...input} {...text("preset")} />}
      </Field>
      <Field
        label="Compared with"
        name="base"
        error={error}
        note="A commit that is measured in turns with each. Empty: each is measured by itself."
      >
        {(input) => <input {...input} {...text("base")} className="sha" list={OPTIONS} />}
      </Field>
      <FormError error={error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={asking.isPending}>
          Ask
        </button>
        {asking.data?.length === 0 && (
          <span role="status">
            Nothing new: all of it is <Link {...toQueue(project)}>in the queue</Link> or measured.
          </span>
        )}
      </div>
    </form>
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
    <label key={entry} className="choice">
      <input type="radio" name={name} checked={entry === value} onChange={() => onChange(entry)} />
      {names[entry]}
    </label>
  ));
}

type MachinesProps = { agents: AgentSummary[]; chosen: string[]; onChange: (machines: string[]) => void };

/** Those that have an agent, and one that was asked for without. */
function Machines({ agents, chosen, onChange }: MachinesProps) {
  const able = agents.map(({ machine }) => machine);
  const all = [...able, ...chosen.filter((name) => !able.includes(name))];
  if (all.length === 0) return <p className="muted">No machine has an agent yet.</p>;
  return all.map((machine) => (
    <label key={machine} className="choice">
      <input
        type="checkbox"
        checked={chosen.includes(machine)}
        onChange={({ target }) =>
          onChange(target.checked ? [...chosen, machine] : chosen.filter((name) => name !== machine))
        }
      />
      <span>
        {machine} <span className="muted">{noteOf(agents.find((agent) => agent.machine === machine))}</span>
      </span>
    </label>
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
export function CommitOptions({ project, id }: { project: string; id: string }) {
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
