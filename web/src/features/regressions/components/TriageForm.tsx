/** What people say of a regression: how far they are, whose it is, why, where it is talked about, until when it is quiet. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { sessionQuery } from "@/api/queries";
import type { Regression, RegressionChange, RegressionState } from "@/api/types";
import { SelectField } from "@/components/ui/SelectField";
import { toSignIn } from "@/lib/paths";
import { STATE_NAMES } from "@/lib/regressions";
import { formatMoment, inDays } from "@/lib/time";
import { useTriage } from "../useTriage";

/** For how long somebody may want to hear nothing of it, in days. */
const MUTES = [
  { value: "1", label: "a day" },
  { value: "7", label: "a week" },
  { value: "30", label: "a month" },
];
const KEPT = "kept";
const NONE = "none";

/** What the form shows. */
type Fields = { state: RegressionState; assignee: string; note: string; bug_url: string; mute: string };

function fieldsOf({ state, assignee, note, bug_url }: Regression): Omit<Fields, "mute"> {
  return { state, assignee: assignee ?? "", note: note ?? "", bug_url: bug_url ?? "" };
}

/** What is said by what was typed; an empty field takes away what was there. */
function changeOf({ state, mute, ...texts }: Partial<Fields>): RegressionChange {
  const said = Object.entries(texts).map(([name, text]) => [name, text.trim() || null]);
  return {
    ...Object.fromEntries(said),
    ...(state !== undefined && { state }),
    ...(mute !== undefined && mute !== KEPT && { muted_until: mute === NONE ? null : inDays(Number(mute)) }),
  };
}

type Props = { project: string; regression: Regression };

export function TriageForm({ project, regression }: Props) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { href } = useLocation();
  const saying = useTriage(project);
  // What was typed and not saved yet, over what is stored: a page that is kept true takes nothing of it away.
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const type = (change: Partial<Fields>) => setTyped({ ...typed, ...change });
  const isMuted = regression.muted_until !== null && new Date(regression.muted_until) > new Date();
  const fields = { ...fieldsOf(regression), mute: isMuted ? KEPT : NONE, ...typed };

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
          <input
            value={fields.assignee}
            placeholder="nobody"
            onChange={({ target }) => type({ assignee: target.value })}
          />
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
        <textarea
          rows={2}
          maxLength={4000}
          value={fields.note}
          onChange={({ target }) => type({ note: target.value })}
        />
      </label>
      <label className="field field-wide">
        Talked about at
        <input
          type="url"
          placeholder="https://"
          value={fields.bug_url}
          onChange={({ target }) => type({ bug_url: target.value })}
        />
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
