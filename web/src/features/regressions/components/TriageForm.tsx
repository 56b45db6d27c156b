/** What people say of a regression: how far they are, whose it is, why, where it is talked about, until when it is quiet. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { sessionQuery } from "@/api/queries";
import type { Regression, RegressionState } from "@/api/types";
import { SelectField } from "@/components/ui/SelectField";
import { toSignIn } from "@/lib/paths";
import { formatMoment } from "@/lib/time";
import { inDays, STATE_NAMES } from "../data";
import { useTriage } from "../useTriage";

/** For how long somebody may want to hear nothing of it, in days. */
const MUTES = [
  { value: "1", label: "a day" },
  { value: "7", label: "a week" },
  { value: "30", label: "a month" },
];
const KEPT = "kept";
const NONE = "none";

type Props = { project: string; regression: Regression };

export function TriageForm({ project, regression }: Props) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { href } = useLocation();
  const saying = useTriage(project);
  const [state, setState] = useState<string>(regression.state);
  const [assignee, setAssignee] = useState(regression.assignee ?? "");
  const [note, setNote] = useState(regression.note ?? "");
  const [bugUrl, setBugUrl] = useState(regression.bug_url ?? "");
  const isMuted = regression.muted_until !== null && new Date(regression.muted_until) > new Date();
  const [mute, setMute] = useState(isMuted ? KEPT : NONE);

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
    const muted = mute === KEPT ? {} : { muted_until: mute === NONE ? null : inDays(Number(mute)) };
    const change = {
      state: state as RegressionState,
      assignee: assignee.trim() || null,
      note: note.trim() || null,
      bug_url: bugUrl.trim() || null,
      ...muted,
    };
    saying.mutate({ ids: [regression.regression_id], change });
  };
  return (
    <form className="triage" onSubmit={save}>
      <div className="controls">
        <SelectField
          label="State"
          options={Object.entries(STATE_NAMES).map(([value, label]) => ({ value, label }))}
          value={state}
          onChange={setState}
        />
        <label className="field">
          Who
          <input value={assignee} placeholder="nobody" onChange={({ target }) => setAssignee(target.value)} />
        </label>
        {assignee !== me && (
          <button type="button" className="text-button" onClick={() => setAssignee(me)}>
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
          value={mute}
          onChange={setMute}
        />
      </div>
      <label className="field field-wide">
        Note
        <textarea rows={2} maxLength={4000} value={note} onChange={({ target }) => setNote(target.value)} />
      </label>
      <label className="field field-wide">
        Talked about at
        <input
          type="url"
          placeholder="https://"
          value={bugUrl}
          onChange={({ target }) => setBugUrl(target.value)}
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
