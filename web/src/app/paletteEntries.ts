/** Matching and labels of search entries. Pure. */
import type { CommitSummary, RunSummary, SeriesFacets, SeriesSummary } from "@/api/types";
import { caseName } from "@/lib/cases";
import { distinct } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { nearestName } from "@/lib/nearestName";
import { type Figure, NAME_KEYS, type Query } from "@/lib/query";
import { percentileName } from "@/lib/statistics";
import { formatNs } from "@/lib/units";

/** One entry: label, detail, keyboard shortcut and action. */
export type Entry = { key: string; label: string; detail?: string; shortcut?: string; open: () => void };

export type Group = { name: string; entries: Entry[] };

/** Whether each of the words begins a word of the text. */
export function isMatch(text: string, words: readonly string[]): boolean {
  const parts = text.toLowerCase().split(/[\s/_-]+/);
  const whole = text.toLowerCase();
  return words.every((word) => {
    const wanted = word.toLowerCase();
    return whole.startsWith(wanted) || parts.some((part) => part.startsWith(wanted));
  });
}

/** Whether a search is about series alone: pages and commits have no transport and no size. */
export function isAboutSeries(query: Query): boolean {
  return NAME_KEYS.some((key) => query[key].length > 0) || query.size.length + query.peers.length > 0;
}

/** The query with words that are names of transports as exactly these: `pipe` is also the family of others. */
export function withExactTransports(
  query: Query,
  { transport }: Pick<SeriesFacets, "transport">,
): Query | null {
  const slugs = new Set(transport.map(({ value }) => value));
  const isSlug = (word: string) => slugs.has(word.toLowerCase());
  const named = query.words.filter(isSlug).map((word) => word.toLowerCase());
  if (named.length === 0 || query.transport.length > 0) return null;
  return { ...query, transport: distinct(named), words: query.words.filter((word) => !isSlug(word)) };
}

/** The query with its unknown words corrected to names; `null` if none is near. */
export function corrected(query: Query, names: readonly string[]): Query | null {
  const words = query.words.map((word) => {
    const isKnown = names.some((name) => isMatch(name, [word]));
    return isKnown ? word : (nearestName(word, names) ?? word);
  });
  return words.some((word, place) => word !== query.words[place]) ? { ...query, words } : null;
}

export function seriesLabel({ transport, case: kase }: SeriesSummary): string {
  return `${transport.slug}, ${caseName(kase)}`;
}

export function seriesDetail({ machine, latest, latest_summary }: SeriesSummary, figure: Figure): string {
  if (latest !== null) return `${machine}, ${percentileName(figure)} ${formatNs(latest.latency_ns[figure])}`;
  return latest_summary === null ? machine : `${machine}, stated ${formatNs(latest_summary.center_ns)}`;
}

export function commitLabel({ sha, subject }: CommitSummary): string {
  return `${shortSha(sha)} ${subject}`;
}

/** The newest run of each machine that measured one of these commits. */
export function runsOf(commits: readonly CommitSummary[], runs: readonly RunSummary[]): RunSummary[] {
  const shas = new Set(commits.map(({ sha }) => sha));
  const seen = new Set<string>();
  return runs.filter(({ commit, machine }) => {
    const key = `${commit.sha} ${machine}`;
    if (!shas.has(commit.sha) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export function placeAfter(place: number, by: number, count: number): number {
  return count === 0 ? 0 : (((place + by) % count) + count) % count;
}
