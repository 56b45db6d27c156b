/** One regression: what changed, which commit made it or that a machine did, and what people say of it. */
import { useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { type ChangeEvent, type FormEvent, useState } from "react";
import { regressionQuery, seriesQuery, sessionQuery } from "@/api/queries";
import type { ChangePoint, Culprit, Regression, RegressionChange, RegressionState } from "@/api/types";
import { SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Ago, CommitName, QuantityText } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { useTitle } from "@/lib/hooks";
import { docsHref, toRegressions, toSeries, toSignIn } from "@/lib/paths";
import { changeText, clearest, rangeText, STATE_NAMES, seriesText } from "@/lib/regressions";
import { formatMoment, inDays } from "@/lib/time";
import { formatCount, quantityOfNs, shareOfAll } from "@/lib/units";
import { titleOf, whereText } from "./data";
import { useTriage } from "./useTriage";

const route = getRouteApi("/$project/regressions/$regressionId");

export function RegressionPage() {
  const { project, regressionId } = route.useParams();
  const { data } = useSuspenseQuery(regressionQuery(project, Number(regressionId)));
  const { regression, change_points, culprits } = data;
  const changes = clearest(change_points, regression.direction);
  useTitle(`Regression ${regression.regression_id} of ${project}`);
  return (
    <>
      <header>
        <p className="muted">
          <Link {...toRegressions(project)}>Changes</Link>
        </p>
        <h1>{titleOf(regression, culprits)}</h1>
        <p className="lede">
          {whereText(regression)}; {rangeText(regression.after_commit, regression.until_commit)}; found{" "}
          <Ago moment={regression.created_at} />.
          {regression.held_because !== null && ` Nobody is alerted of it: ${regression.held_because}.`}
        </p>
      </header>
      <Section title="What is said of it">
        <TriageForm project={project} regression={regression} />
      </Section>
      {culprits.length > 0 && (
        <Section title="Which commit">
          <Culprits culprits={culprits} />
        </Section>
      )}
      <Section title="What changed">
        <SeriesChanges project={project} changes={changes} />
      </Section>
      <Section
        title="Commit or machine"
        tools={<a href={docsHref("explanation/change-points.md")}>How that is told</a>}
      >
        <Witnesses changes={changes} />
      </Section>
    </>
  );
}

function Culprits({ culprits }: { culprits: Culprit[] }) {
  return (
    <>
      <RowTable
        label="Culprits"
        rows={culprits}
        keyOf={({ commit }) => commit.sha}
        columns={[
          [rowHead("commit"), ({ commit }) => <CommitName commit={commit} />],
          [numeric("probability"), ({ probability }) => shareOfAll(probability)],
          [
            { name: "subject", className: "grow" },
            ({ commit }) => commit.subject,
            ({ commit }) => ({ className: "grow", title: commit.subject }),
          ],
          ["author", ({ commit }) => commit.author],
          ["committed", ({ commit }) => formatMoment(commit.committed_at)],
          ["measured", ({ measured }) => (measured ? "yes" : <span className="muted">not yet</span>)],
        ]}
      />
      {culprits.some(({ measured }) => !measured) && (
        <p className="section-note">
          A commit that was not measured shares the probability of the next one that was. Agents are asked to
          measure those that would tell.
        </p>
      )}
    </>
  );
}

/** A regression of hundreds of series is told by its largest ones. */
const SHOWN_MAX = 20;

function SeriesChanges({ project, changes }: { project: string; changes: ChangePoint[] }) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? changes : changes.slice(0, SHOWN_MAX);
  const answers = useQueries({ queries: shown.map(({ series_id }) => seriesQuery(series_id)) });
  const left = changes.length - shown.length;
  const level = (ns: number) => <QuantityText plain quantity={quantityOfNs(Math.round(ns))} />;
  return (
    <>
      <RowTable
        label="Series"
        rows={shown.map((change, index) => ({ ...change, series: answers[index]?.data }))}
        keyOf={({ change_point_id }) => change_point_id}
        columns={[
          [
            rowHead("series"),
            ({ series_id, series }) => (
              <Link {...toSeries(project, series_id)}>{seriesText(series, series_id)}</Link>
            ),
            "name",
          ],
          ["figure", ({ figure }) => figure, "muted"],
          [numeric("before"), ({ before_ns }) => level(before_ns)],
          [numeric("after"), ({ after_ns }) => level(after_ns)],
          [
            numeric("change"),
            ({ change, direction }) => (
              <span className={`change change-${direction}`}>{changeText(change)}</span>
            ),
          ],
          ["new from", ({ commit_sha: sha }) => <code title={sha}>{shortSha(sha)}</code>],
        ]}
      />
      {left > 0 && (
        <p className="section-note">
          <button type="button" className="text-button" onClick={() => setIsAll(true)}>
            {formatCount(left)} more
          </button>
        </p>
      )}
    </>
  );
}

/** For how long somebody may want to hear nothing of it, in days. */
const MUTES = [
  { value: "1", label: "a day" },
  { value: "7", label: "a week" },
  { value: "30", label: "a month" },
];
const KEPT = "kept";
const NONE = "none";

type Fields = { state: RegressionState; assignee: string; note: string; bug_url: string; mute: string };

/** What is said by what was typed; an empty field takes away what was there. */
function changeOf({ state, mute, ...texts }: Partial<Fields>): RegressionChange {
  const said = Object.entries(texts).map(([name, text]) => [name, text.trim() || null]);
  return {
    ...Object.fromEntries(said),
    ...(state !== undefined && { state }),
    ...(mute !== undefined && mute !== KEPT && { muted_until: mute === NONE ? null : inDays(Number(mute)) }),
  };
}

/** What people say of a regression: how far they are, whose it is, why, where it is talked about, until when it is quiet. */
function TriageForm({ project, regression }: { project: string; regression: Regression }) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { href } = useLocation();
  const saying = useTriage(project);
  // What was typed and not saved yet, over what is stored: a page that is kept true takes nothing of it away.
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const type = (change: Partial<Fields>) => setTyped({ ...typed, ...change });
  /** What binds a field of text to its state. */
  const bound = (name: "assignee" | "note" | "bug_url") => ({
    value: fields[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      type({ [name]: target.value }),
  });
  const isMuted = regression.muted_until !== null && new Date(regression.muted_until) > new Date();
  const fields: Fields = {
    state: regression.state,
    assignee: regression.assignee ?? "",
    note: regression.note ?? "",
    bug_url: regression.bug_url ?? "",
    mute: isMuted ? KEPT : NONE,
    ...typed,
  };

  if (session.account === null) {
    return (
      <p>
        {STATE_NAMES[regression.state]}, {regression.assignee ?? "nobody looks after it"}.{" "}
        {regression.note !== null && `“${regression.note}” `}
        <Link {...toSignIn(href)}>Sign in</Link> to say more.
      </p>
    );
  }
  const me = session.account.name;
  const save = (event: FormEvent) => {
    event.preventDefault();
    saying.mutate(
      { ids: [regression.regression_id], change: changeOf(typed) },
      { onSuccess: () => setTyped({}) },
    );
  };
  return (
    <form className="triage" onSubmit={save}>
      <div className="controls">
        <SelectField
          label="State"
          options={Object.entries(STATE_NAMES).map(([value, label]) => ({ value, label }))}
          value={fields.state}
          onChange={(state) => type({ state: state as RegressionState })}
        />
        <label className="field">
          Who
          <input placeholder="nobody" {...bound("assignee")} />
        </label>
        {fields.assignee !== me && (
          <button type="button" className="text-button" onClick={() => type({ assignee: me })}>
            Me
          </button>
        )}
        <SelectField
          label="Quiet for"
          options={[
            { value: NONE, label: "no time" },
            ...(regression.muted_until !== null && isMuted
              ? [{ value: KEPT, label: `until ${formatMoment(regression.muted_until)}` }]
              : []),
            ...MUTES,
          ]}
          value={fields.mute}
          onChange={(mute) => type({ mute })}
        />
      </div>
      <label className="field field-wide">
        Note
        <textarea rows={2} maxLength={4000} {...bound("note")} />
      </label>
      <label className="field field-wide">
        Talked about at
        <input type="url" placeholder="https://" {...bound("bug_url")} />
      </label>
      <div className="controls">
        <button type="submit" className="button" disabled={saying.isPending}>
          Save
        </button>
        {regression.bug_url !== null && (
          <a href={regression.bug_url} rel="noreferrer">
            {regression.bug_url}
          </a>
        )}
        {saying.isError && (
          <span className="warning" role="alert">
            {saying.error.message}
          </span>
        )}
        {saying.isSuccess && <span className="muted">Saved.</span>}
      </div>
    </form>
  );
}

/** What those say that no commit can have changed: of the clearest change. */
function Witnesses({ changes }: { changes: ChangePoint[] }) {
  const told = changes.find(({ witnesses }) => witnesses.length > 0);
  if (told === undefined) return <p className="muted">Nothing on these machines could tell.</p>;
  return (
    <ul className="plain-list">
      {told.witnesses.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
