/** One regression: its series, suspect commits, root cause and triage. */
import { useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { type ChangeEvent, type ReactNode, useState } from "react";
import { regressionQuery, seriesQuery, sessionQuery } from "@/api/queries";
import type {
  ChangePoint,
  CommitPlace,
  Culprit,
  Explanation,
  Finding,
  Regression,
  RegressionChange,
  RegressionState,
  SeriesSummary,
} from "@/api/types";
import { Form } from "@/components/form";
import { SelectField, TextButton } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { type Column, numeric, RowTable, rowHead, TableSection } from "@/components/ui/Table";
import { Ago, CommitName, Quoted, Sentences, ValueText } from "@/components/ui/text";
import { changeText } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { useTitle } from "@/lib/hooks";
import { docsHref, toProfile, toRegressions, toSeries, toSignIn } from "@/lib/paths";
import { changeOfNs, clearest, rangeText, STATE_NAMES, seriesText } from "@/lib/regressions";
import { isSite } from "@/lib/site";
import { formatMoment, inDays } from "@/lib/time";
import { formatCount, shareOfAll, upperFirst } from "@/lib/units";
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
          <Link {...toRegressions(project)}>Regressions</Link>
        </p>
        <h1>{titleOf(regression, culprits)}</h1>
        <p className="lede">
          {whereText(regression)}; {rangeText(regression.after_commit, regression.until_commit)}; found{" "}
          <Ago moment={regression.created_at} />.
          {regression.held_because !== null && ` Alerts on hold: ${regression.held_because}.`}
        </p>
      </header>
      <Section title="Triage">
        <TriageForm project={project} regression={regression} />
      </Section>
      {regression.kind === "drift" ? (
        <DriftRange regression={regression} />
      ) : (
        <SuspectCommits culprits={culprits} />
      )}
      {regression.explanation !== null && (
        <WhySlower explanation={regression.explanation}>
          {regression.explanation.has_profile && (
            <p className="section-note">
              <Link {...toProfile(project, regression.regression_id)}>Compare the profiles</Link>
            </p>
          )}
        </WhySlower>
      )}
      <Section title="Affected series">
        <SeriesChanges project={project} changes={changes} />
      </Section>
      <Section title="Root cause" tools={<a href={docsHref("explanation/change-points.md")}>Method</a>}>
        <Witnesses changes={changes} />
      </Section>
    </>
  );
}

export function DriftRange({ regression: { after_commit, until_commit } }: { regression: Regression }) {
  const name = ({ sha }: CommitPlace) => <code title={sha}>{shortSha(sha)}</code>;
  return (
    <Section title="Suspect commits">
      <p>
        No single commit: small changes add up between {name(after_commit)} and {name(until_commit)}.
      </p>
    </Section>
  );
}

/** What the commit changes of the findings. */
const CHANGES: Column<Culprit> = [
  "Changes",
  ({ names }) => names.map((name) => <code key={name}>{name} </code>),
];

function SuspectCommits({ culprits }: { culprits: Culprit[] }) {
  return (
    <TableSection
      title="Suspect commits"
      className="table"
      rows={culprits}
      keyOf={({ commit }) => commit.sha}
      columns={[
        [rowHead("Commit"), ({ commit }) => <CommitName commit={commit} />],
        [numeric("Probability"), ({ probability }) => shareOfAll(probability)],
        [
          { name: "Subject", className: "grow" },
          ({ commit }) => commit.subject,
          ({ commit }) => ({ className: "grow", title: commit.subject }),
        ],
        ["Author", ({ commit }) => commit.author],
        ["Committed", ({ commit }) => formatMoment(commit.committed_at)],
        ["Measured", ({ measured }) => (measured ? "yes" : <span className="muted">not yet</span>)],
        culprits.some(({ names }) => names.length > 0) && CHANGES,
      ]}
      note={culprits.some(({ measured }) => !measured) && UNMEASURED_NOTE}
    />
  );
}

/** The range of an estimate; nothing if both ends look the same. */
function rangeOfNs(ends: Finding["explains_range_ns"]): string | false {
  const [low, high] = ends?.map(changeOfNs) ?? [];
  return low !== high && `${low} to ${high}`;
}

/** What changed per message, by the paired comparison of the commit with its base. */
export function WhySlower({ explanation, children }: { explanation: Explanation; children?: ReactNode }) {
  const { base_sha, change_ns, findings, unexplained_ns, notes = [] } = explanation;
  const isExplained = findings.length > 0 && unexplained_ns === 0;
  return (
    <Section title="Why it is slower" tools={<a href={docsHref("how-to/explain-a-change.md")}>Method</a>}>
      <p>
        p50 {changeOfNs(change_ns)} compared with <code title={base_sha}>{shortSha(base_sha)}</code>
        {!isExplained && `, of which ${changeOfNs(unexplained_ns)} unexplained`}.
      </p>
      {findings.length > 0 && (
        <RowTable
          label="Findings"
          rows={findings}
          keyOf={({ text }) => text}
          columns={[
            [rowHead("Finding"), ({ text }) => <Quoted text={text} />],
            [numeric("Accounts for"), ({ explains_ns }) => explains_ns != null && changeOfNs(explains_ns)],
            [numeric("Range"), ({ explains_range_ns }) => rangeOfNs(explains_range_ns)],
          ]}
        />
      )}
      {notes.length > 0 && <p className="section-note">{notes.join(" ")}</p>}
      {children}
    </Section>
  );
}

const UNMEASURED_NOTE =
  "Unmeasured commits share the probability of the next measured one. Bisection is queued.";

/** Of hundreds of series, the largest changes are shown first. */
const SHOWN_MAX = 20;

function SeriesChanges({ project, changes }: { project: string; changes: ChangePoint[] }) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? changes : changes.slice(0, SHOWN_MAX);
  const answers = useQueries({ queries: shown.map(({ series_id }) => seriesQuery(series_id)) });
  const left = changes.length - shown.length;
  const level = (stored: number, series: SeriesSummary | undefined) =>
    series !== undefined && <ValueText plain stored={Math.round(stored)} of={series.case} />;
  return (
    <>
      <RowTable
        label="Series"
        rows={shown.map((change, index) => ({ ...change, series: answers[index]?.data }))}
        keyOf={({ change_point_id }) => change_point_id}
        columns={[
          [
            rowHead("Series"),
            ({ series_id, series }) => (
              <Link {...toSeries(project, series_id)}>{seriesText(series, series_id)}</Link>
            ),
            "name",
          ],
          ["Percentile", ({ figure }) => figure, "muted"],
          [numeric("Before"), ({ before_level, series }) => level(before_level, series)],
          [numeric("After"), ({ after_level, series }) => level(after_level, series)],
          [
            numeric("Change"),
            ({ change, direction }) => (
              <span className={`change change-${direction}`}>{changeText(change)}</span>
            ),
          ],
          changes[0]?.kind === "drift"
            ? [
                "Range",
                ({ after_commit_ordinal, commit_ordinal }) =>
                  `#${after_commit_ordinal} to #${commit_ordinal}`,
              ]
            : ["First measured", ({ commit_sha: sha }) => <code title={sha}>{shortSha(sha)}</code>],
        ]}
      />
      {left > 0 && (
        <p className="section-note">
          <TextButton onClick={() => setIsAll(true)}>Show {formatCount(left)} more</TextButton>
        </p>
      )}
    </>
  );
}

/** Mute durations in days. */
const MUTES = [
  { value: "1", label: "1 day" },
  { value: "7", label: "1 week" },
  { value: "30", label: "30 days" },
];
const KEPT = "kept";
const NONE = "none";

type Fields = { state: RegressionState; assignee: string; note: string; bug_url: string; mute: string };

/** The change that a draft makes; an empty field clears its value. */
function changeOf({ state, mute, ...texts }: Partial<Fields>): RegressionChange {
  const trimmed = Object.entries(texts).map(([name, text]) => [name, text.trim() || null]);
  return {
    ...Object.fromEntries(trimmed),
    ...(state !== undefined && { state }),
    ...(mute !== undefined && mute !== KEPT && { muted_until: mute === NONE ? null : inDays(Number(mute)) }),
  };
}

function TriageForm({ project, regression }: { project: string; regression: Regression }) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { href } = useLocation();
  const triage = useTriage(project);
  // Unsaved edits, over the stored values: live updates do not discard them.
  const [draft, setDraft] = useState<Partial<Fields>>({});
  const edit = (change: Partial<Fields>) => setDraft({ ...draft, ...change });
  const bound = (name: "assignee" | "note" | "bug_url") => ({
    value: fields[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      edit({ [name]: target.value }),
  });
  const isMuted = regression.muted_until !== null && new Date(regression.muted_until) > new Date();
  const fields: Fields = {
    state: regression.state,
    assignee: regression.assignee ?? "",
    note: regression.note ?? "",
    bug_url: regression.bug_url ?? "",
    mute: isMuted ? KEPT : NONE,
    ...draft,
  };

  if (session.account === null) {
    return (
      <p>
        {upperFirst(STATE_NAMES[regression.state])}; assignee: {regression.assignee ?? "none"}.{" "}
        {regression.note !== null && `“${regression.note}” `}
        {!isSite() && (
          <>
            <Link {...toSignIn(href)}>Sign in</Link> to edit.
          </>
        )}
      </p>
    );
  }
  const me = session.account.name;
  const save = () =>
    triage.mutate(
      { ids: [regression.regression_id], change: changeOf(draft) },
      { onSuccess: () => setDraft({}) },
    );
  return (
    <Form
      className="triage"
      submit="Save"
      change={triage}
      outcome={
        <>
          {regression.bug_url !== null && (
            <a href={regression.bug_url} rel="noreferrer">
              {regression.bug_url}
            </a>
          )}
          {triage.isSuccess && <span className="muted">Saved</span>}
        </>
      }
      onSubmit={save}
    >
      <div className="controls">
        <SelectField
          label="State"
          options={Object.entries(STATE_NAMES).map(([value, name]) => ({ value, label: upperFirst(name) }))}
          value={fields.state}
          onChange={(state) => edit({ state: state as RegressionState })}
        />
        <label className="field">
          Assignee
          <input placeholder="none" {...bound("assignee")} />
        </label>
        {fields.assignee !== me && (
          <TextButton onClick={() => edit({ assignee: me })}>Assign to me</TextButton>
        )}
        <SelectField
          label="Mute for"
          options={[
            { value: NONE, label: "Not muted" },
            ...(regression.muted_until !== null && isMuted
              ? [{ value: KEPT, label: `Until ${formatMoment(regression.muted_until)}` }]
              : []),
            ...MUTES,
          ]}
          value={fields.mute}
          onChange={(mute) => edit({ mute })}
        />
      </div>
      <label className="field field-wide">
        Note
        <textarea rows={2} maxLength={4000} {...bound("note")} />
      </label>
      <label className="field field-wide">
        Issue link
        <input type="url" placeholder="https://" {...bound("bug_url")} />
      </label>
    </Form>
  );
}

/** The witnesses of the clearest change: series that a commit cannot affect. */
function Witnesses({ changes }: { changes: ChangePoint[] }) {
  const change = changes.find(({ witnesses }) => witnesses.length > 0);
  if (change === undefined) return <p className="muted">No reference series.</p>;
  return <Sentences of={change.witnesses} className="plain-list" />;
}
