/** The series that are picked, and where they go together. */
import { Link } from "@tanstack/react-router";
import { toSeriesTogether } from "@/lib/paths";

type Props = { project: string; picked: readonly number[]; onClear: () => void };

/** More lines than this cannot be told apart in one chart. */
const TOGETHER_MAX = 6;

export function Picked({ project, picked, onClear }: Props) {
  const canOpen = picked.length >= 2 && picked.length <= TOGETHER_MAX;
  return (
    <div className="controls bulk">
      <span className="muted" aria-live="polite">
        {textOf(picked.length)}
      </span>
      {canOpen && (
        <Link {...toSeriesTogether(project, picked)} className="button">
          Open together
        </Link>
      )}
      {picked.length > 0 && (
        <button type="button" className="text-button" onClick={onClear}>
          Clear
        </button>
      )}
    </div>
  );
}

function textOf(count: number): string {
  if (count === 0) return `Pick 2 to ${TOGETHER_MAX} to open them together`;
  if (count === 1) return "1 picked: one more, and they open together";
  return count > TOGETHER_MAX ? `${count} picked: at most ${TOGETHER_MAX} open together` : `${count} picked`;
}
