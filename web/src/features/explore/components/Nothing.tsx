/** Why there is no series to show, and the way on. */
import { Link } from "@tanstack/react-router";
import { CommandLine } from "@/components/ui/CommandLine";
import { toExplore, toFound } from "@/lib/paths";
import { type Query, textOf } from "@/lib/query";

/** Nothing has what was searched for; without a part of it there may be something. */
export function NothingFound({
  project,
  because,
  without,
}: {
  project: string;
  because: string;
  without: Query;
}) {
  const text = textOf(without);
  return (
    <div className="state">
      <p>{because}</p>
      <p>
        <Link {...(text === "" ? toExplore(project) : toFound(project, text))} className="button">
          {text === "" ? "Show all series" : "Search without it"}
        </Link>
      </p>
    </div>
  );
}

/** The project has no series at all. */
export function NothingMeasured() {
  return (
    <div className="state">
      <p className="muted">
        Series appear with the first run. In the repository whose commits you want to follow:
      </p>
      <CommandLine command={`roundtrip run --upload ${window.location.origin}`} />
    </div>
  );
}
