/** Matching and labels of search entries. Pure. */
import type { CommitSummary, RunSummary, SeriesSummary } from "@/api/types";
import { caseName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { type Figure, NAME_KEYS, type Query } from "@/lib/query";
import { percentileName } from "@/lib/statistics";
import { formatNs } from "@/lib/units";

/** One entry: label, detail and action. */
export type Entry = { key: string; label: string; detail?: string; open: () => void };

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
