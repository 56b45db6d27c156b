/** Both sides, each to be chosen, swapped, or set to the measured commit before. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { sessionQuery } from "@/api/queries";
import { refusal } from "@/lib/access";
import { toMeasure } from "@/lib/paths";
import { previousMeasured } from "../previous";
import type { CompareSearch } from "../search";
import type { Side } from "../useSide";
import { CommitPicker } from "./CommitPicker";

/** Sides that are named anew; what is undefined goes. */
export type SidesChange = { base?: string | undefined; head?: string | undefined };

type Props = {
  project: string;
  search: CompareSearch;
  base: Side;
  head: Side;
  onSides: (change: SidesChange) => void;
};

export function Sides({ project, search, base, head, onSides }: Props) {
  const queryClient = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const mayAsk = session !== undefined && refusal(session, project, "queue") === null;
  const [note, setNote] = useState<string | null>(null);
  const set = (change: SidesChange) => {
    setNote(null);
    onSides(change);
  };
  const toPrevious = async () => {
    if (head.commit === null) return;
    const found = await previousMeasured(queryClient, project, head.commit).catch((error: Error) => error);
    if (found instanceof Error) setNote(found.message);
    else set({ base: found.sha });
  };
  return (
    <>
      <div className="sides">
        <CommitPicker project={project} label="Base" side={base} onPick={(sha) => set({ base: sha })} />
        <button
          type="button"
          className="button"
          disabled={search.base === undefined && search.head === undefined}
          onClick={() => set({ base: search.head, head: search.base })}
        >
          Swap
        </button>
        <CommitPicker project={project} label="Head" side={head} onPick={(sha) => set({ head: sha })} />
      </div>
      <div className="side-tools">
        {head.commit !== null && (
          <button type="button" className="text-button" onClick={toPrevious}>
            Base on the measured commit before the head
          </button>
        )}
        {mayAsk && base.commit !== null && head.commit !== null && (
          <Link
            {...toMeasure(project, { commits: head.commit.sha, base: base.commit.sha })}
            className="text-button"
          >
            Ask for both to be measured in pairs
          </Link>
        )}
        <span role="status" className="muted">
          {note}
        </span>
      </div>
    </>
  );
}
