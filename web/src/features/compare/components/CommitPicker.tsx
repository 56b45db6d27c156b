/**
 * Chooses a commit by its name or by words of its message, with the keyboard or a pointer; the newest are offered first.
 * The identity of a run is taken as well, when it is pasted.
 */
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { commitsQuery } from "@/api/queries";
import { shortSha } from "@/lib/commits";
import { formatDay } from "@/lib/time";
import { revisionOf } from "../data";
import type { Side } from "../useSide";

type Props = {
  project: string;
  label: string;
  side: Side;
  onPick: (name: string) => void;
};

const OFFERED = 20;

export function CommitPicker({ project, label, side, onPick }: Props) {
  const id = useId();
  /** What is being typed; null while nobody does. */
  const [draft, setDraft] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const isOpen = draft !== null;
  const words = useDeferredValue((draft ?? "").trim());
  const { data, isPending } = useQuery({
    ...commitsQuery(project, { limit: OFFERED, ...(words !== "" && { q: words }) }),
    enabled: isOpen,
  });
  const commits = data?.commits ?? [];
  const current = commits[Math.min(active, commits.length - 1)];

  const type = (text: string) => {
    setDraft(text);
    setActive(0);
  };
  const pick = (name: string) => {
    setDraft(null);
    onPick(name);
  };
  const take = () => {
    // What is whole needs no list, and of a run there is none.
    const typed = revisionOf(draft ?? "");
    if (typed.kind === "run") pick(typed.runId);
    else if (typed.kind === "commit" && typed.isWhole) pick(typed.name);
    else if (current !== undefined) pick(current.sha);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      if (!isOpen) return type("");
      setActive(Math.max(0, Math.min(commits.length - 1, active + by)));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      take();
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      setDraft(null);
    }
  };
  const isListed = isOpen && commits.length > 0;
  const listId = `${id}-list`;
  const optionId = (sha: string) => `${id}-${sha}`;
  return (
    <div className="combobox">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={isListed}
        aria-controls={listId}
        {...(isListed && current !== undefined ? { "aria-activedescendant": optionId(current.sha) } : {})}
        placeholder="first digits, or words of the message"
        value={draft ?? textOf(side)}
        onChange={({ target }) => type(target.value)}
        onClick={() => !isOpen && type("")}
        onBlur={() => setDraft(null)}
        onKeyDown={onKeyDown}
      />
      {isListed && (
        <div className="combobox-list" role="listbox" id={listId} aria-label={`Commits for ${label}`}>
          {commits.map((commit) => (
            <div
              key={commit.sha}
              id={optionId(commit.sha)}
              role="option"
              aria-selected={commit === current}
              tabIndex={-1}
              // Before the field loses the focus, and the list goes.
              onMouseDown={(event) => {
                event.preventDefault();
                pick(commit.sha);
              }}
            >
              <code>{shortSha(commit.sha)}</code>
              <span>{commit.subject}</span>
              <span className="muted">{formatDay(commit.committed_at)}</span>
            </div>
          ))}
        </div>
      )}
      {isOpen && !isListed && (
        <p className="combobox-list combobox-note" role="status">
          {isPending ? "Looking…" : "No commit is found."}
        </p>
      )}
    </div>
  );
}

/** What stands in the field while nobody types. */
function textOf({ commit, isRun }: Side): string {
  if (commit === null) return "";
  return `${shortSha(commit.sha)} ${commit.subject}${isRun ? " (one run)" : ""}`;
}
