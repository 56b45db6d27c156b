/** Values of the new-job form that the address sets. Pure. */
import { commitSha, joined, type Present, present, type RawSearch, slug, text } from "./search";

export type MeasureSearch = Present<{
  commits: string | undefined;
  base: string | undefined;
  machine: string | undefined;
  preset: string | undefined;
}>;

/** Limits the length of the address. */
const COMMITS_MAX = 40;

export function parseMeasureSearch(raw: RawSearch): MeasureSearch {
  const names = typeof raw.commits === "string" ? raw.commits.split(".").slice(0, COMMITS_MAX) : [];
  return present({
    commits: joined(names.filter((name) => commitSha(name) !== undefined)),
    base: commitSha(raw.base),
    machine: slug(raw.machine),
    preset: text(raw.preset),
  });
}
