/** Note, issue link and mute of a regression, behind a disclosure. */
import { type ChangeEvent, useState } from "react";
import type { Regression, RegressionChange } from "@/api/types";
import { Form } from "@/components/form";
import { SelectField } from "@/components/ui/controls";
import { formatMoment, inDays } from "@/lib/time";
import type { Triage } from "./useTriage";

/** Mute durations in days. */
const MUTES = [
  { value: "1", label: "1 day" },
  { value: "7", label: "1 week" },
  { value: "30", label: "30 days" },
];
const KEPT = "kept";
const NONE = "none";

type Fields = { note: string; bug_url: string; mute: string };

/** The change that a draft makes; an empty field clears its value. */
function changeOf({ mute, ...texts }: Partial<Fields>): RegressionChange {
  const trimmed = Object.entries(texts).map(([name, text]) => [name, text.trim() || null]);
  return {
    ...Object.fromEntries(trimmed),
    ...(mute !== undefined && mute !== KEPT && { muted_until: mute === NONE ? null : inDays(Number(mute)) }),
  };
}

export function Notes({ regression, triage }: { regression: Regression; triage: Triage }) {
  const { note, bug_url } = regression;
  if (!triage.isAllowed && note === null && bug_url === null) return null;
  return (
    <details className="section triage-notes">
      <summary>Note, issue link and mute</summary>
      {triage.isAllowed ? (
        <NotesForm regression={regression} triage={triage} />
      ) : (
        <>
          {note !== null && <p>{note}</p>}
          {bug_url !== null && <IssueLink url={bug_url} />}
        </>
      )}
    </details>
  );
}

function IssueLink({ url }: { url: string }) {
  return (
    <a href={url} rel="noreferrer">
      {url}
    </a>
  );
}

function NotesForm({ regression, triage }: { regression: Regression; triage: Triage }) {
  // Unsaved edits, over the stored values: live updates do not discard them.
  const [draft, setDraft] = useState<Partial<Fields>>({});
  const edit = (change: Partial<Fields>) => setDraft({ ...draft, ...change });
  const { note, bug_url, muted_until } = regression;
  const isMuted = muted_until !== null && new Date(muted_until) > new Date();
  const fields: Fields = {
    note: note ?? "",
    bug_url: bug_url ?? "",
    mute: isMuted ? KEPT : NONE,
    ...draft,
  };
  const bound = (name: "note" | "bug_url") => ({
    value: fields[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      edit({ [name]: target.value }),
  });
  const save = () =>
    triage.mutate({ regressions: [regression], change: changeOf(draft) }, { onSuccess: () => setDraft({}) });
  return (
    <Form
      className="triage"
      submit="Save"
      // The page shows the error.
      change={{ error: null, isPending: triage.isPending }}
      outcome={bug_url !== null && <IssueLink url={bug_url} />}
      onSubmit={save}
    >
      <label className="field field-wide">
        Note
        <textarea rows={2} maxLength={4000} {...bound("note")} />
      </label>
      <label className="field field-wide">
        Issue link
        <input type="url" placeholder="https://" {...bound("bug_url")} />
      </label>
      <SelectField
        label="Mute for"
        options={[
          { value: NONE, label: "Not muted" },
          ...(isMuted ? [{ value: KEPT, label: `Until ${formatMoment(muted_until)}` }] : []),
          ...MUTES,
        ]}
        value={fields.mute}
        onChange={(mute) => edit({ mute })}
      />
    </Form>
  );
}
