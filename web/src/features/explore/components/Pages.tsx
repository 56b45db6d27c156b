/** Where the list goes on, and the way back to its beginning. */
import { Link } from "@tanstack/react-router";
import { toExplore } from "@/lib/paths";
import type { ExploreSearch } from "../search";

type Props = { project: string; search: ExploreSearch; next: string | null };

export function Pages({ project, search, next }: Props) {
  const { after, ...rest } = search;
  if (after === undefined && next === null) return null;
  return (
    <nav className="controls explore-pages" aria-label="Pages of the list">
      {after !== undefined && (
        <Link {...toExplore(project)} search={rest} className="button">
          From the beginning
        </Link>
      )}
      {next !== null && (
        <Link {...toExplore(project)} search={{ ...rest, after: next }} className="button">
          Next series
        </Link>
      )}
    </nav>
  );
}
