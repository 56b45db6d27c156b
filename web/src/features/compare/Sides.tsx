/** Selects base and head, swaps them, or uses the parent as base. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { commitQuery, commitsQuery, sessionQuery } from "@/api/queries";
import type { CommitSummary } from "@/api/types";
import { Button, TextButton } from "@/components/ui/controls";
import { refusal } from "@/lib/access";
import { shortSha } from "@/lib/commits";
import { toMeasure } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { formatDay } from "@/lib/time";
import { revisionOf } from "./data";
import type { Side } from "./load";
import type { CompareSearch } from "./search";

/** New sides; `undefined` clears one. */
export type SidesChange = { base?: string | undefined; head?: string | undefined };

type Props = {
  project: string;
  search: CompareSearch;
  base: Side | undefined;
  head: Side | undefined;
  onSides: (change: SidesChange) => void;
};

export function Sides({ project, search, base, head, onSides }: Props) {
  const queryClient = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const mayQueue = session !== undefined && refusal(session, project, "queue") === null;
  const finding = useMutation({
    mutationFn: (commit: CommitSummary) => previousMeasured(queryClient, project, commit),
    onSuccess: ({ sha }) => onSides({ base: sha }),
  });
  const set = (change: SidesChange) => {
    finding.reset();
    onSides(change);
  };
  return (
    <>
      <div className="sides">
        <CommitPicker project={project} label="Base" side={base} onPick={(sha) => set({ base: sha })} />
        {!isSite() && (
          <Button
            disabled={search.base === undefined && search.head === undefined}
            onClick={() => set({ base: search.head, head: search.base })}
          >
            Swap
          </Button>
        )}
        <CommitPicker project={project} label="Head" side={head} onPick={(sha) => set({ head: sha })} />
      </div>
      <div className="side-tools">
        {head !== undefined && (
          <TextButton onClick={() => finding.mutate(head.commit)}>Use parent as base</TextButton>
        )}
        {mayQueue && base !== undefined && head !== undefined && (
          <Link
            {...toMeasure(project, { commits: head.commit.sha, base: base.commit.sha })}
            className="text-button"
          >
            Run paired A/B
          </Link>
        )}
        <span role="status" className="muted">
          {finding.error?.message}
        </span>
      </div>
    </>
  );
}

type CommitPickerProps = {
  project: string;
  label: string;
  side: Side | undefined;
  onPick: (name: string) => void;
};

const OFFERED = 20;

/** Selects a commit by its hash or message, newest first. Also accepts a pasted run id. */
export function CommitPicker({ project, label, side, onPick }: CommitPickerProps) {
  const id = useId();
  /** The typed text; `null` while the field is not edited. */
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
  const accept = () => {
    // Full hashes and run ids need no list.
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
      accept();
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
        placeholder="hash, message or run id"
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
              // Must run before the field loses focus and the list closes.
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
          {isPending ? "Searching…" : "No commits found"}
        </p>
      )}
    </div>
  );
}

function textOf(side: Side | undefined): string {
  if (side === undefined) return "";
  const { commit, isRun } = side;
  return `${shortSha(commit.sha)} ${commit.subject}${isRun ? " (one run)" : ""}`;
}

const SEARCHED = 30;

/**
 * The nearest earlier commit that has a run.
 *
 * @throws if there is none nearby.
 */
async function previousMeasured(queryClient: QueryClient, project: string, { ordinal }: CommitSummary) {
  const before = { to: Math.max(0, ordinal - 1), limit: SEARCHED };
  const { commits } = await queryClient.fetchQuery(commitsQuery(project, before));
  for (const { sha } of commits) {
    const { commit, run_count } = await queryClient.fetchQuery(commitQuery(project, sha));
    if (run_count > 0) return commit;
  }
  throw new Error(
    commits.length < SEARCHED
      ? "No earlier measured commit."
      : `No measured commit among the previous ${SEARCHED}.`,
  );
}
