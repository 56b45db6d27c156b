/** Comparisons: stored ones of two commits, filtered as on the server. */
import type { Comparison, ComparisonPair, PairKind, SeriesSummary } from "@/api/types";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { extentOf, runList, seriesList } from "./data";
import { type Answers, IMPORT, missing, numberIn, valuesIn } from "./endpoint";
import { nameOf, read } from "./files";
import { matching } from "./series";

export const comparison = {
  "/api/v1/projects/{project}/compare": async ({ path: { project }, query }): Promise<Comparison> => {
    const [base, head] = await Promise.all([sideOf(project, query.base), sideOf(project, query.head)]);
    const name = nameOf(`projects/${project}/compare`, { base: base.sha, head: head.sha });
    const stored = await read<Comparison>(name);
    if (stored === null) {
      const { detailed_runs } = await extentOf();
      const newest = `each of the newest ${detailed_runs} measured commits of the main line with the one before it`;
      const has = `This site compares ${newest}, the commits around regressions, and pull requests with their base.`;
      const detail = `${has} For others, run \`roundtrip compare\` on two reports. ${IMPORT}`;
      throw missing("unknown-comparison", detail);
    }
    const whole = {
      ...stored,
      base: { ...stored.base, run_id: base.run_id },
      head: { ...stored.head, run_id: head.run_id },
    };
    const { series } = query.q === undefined ? { series: null } : await seriesList(project);
    return selected(whole, series, query);
  },
} satisfies Answers;

type Side = { sha: string; run_id: string | null };

/** The commit of a side. A run stands for its commit if the commit has no other. */
async function sideOf(project: string, name = ""): Promise<Side> {
  if (/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(name)) return { sha: name, run_id: null };
  const { runs } = await runList(project);
  const sha = runs.find(({ run_id }) => run_id === name)?.commit.sha;
  if (sha === undefined) throw missing("unknown-run", `This site has no run ${name}.`);
  if (runs.filter(({ commit }) => commit.sha === sha).length > 1) {
    const has = `Commit ${sha} has several runs, and this site compares whole commits.`;
    const detail = `${has} Compare the commits, or run \`roundtrip compare\` on two reports.`;
    throw missing("unknown-comparison", detail);
  }
  return { sha, run_id: name };
}

type Filter = { machine?: string; q?: string; kind?: string; limit?: string };

/** The pairs on a machine, with words, and of some kinds. `series`: those of the project, if there are words. */
export function selected(
  stored: Comparison,
  series: readonly SeriesSummary[] | null,
  { machine, q = "", kind, limit }: Filter,
): Comparison {
  let found = stored;
  if (machine !== undefined) {
    const pairs = stored.pairs.filter((pair) => machineOf(pair) === machine);
    const side = (name: "base" | "head") => ({
      ...stored[name],
      case_count: pairs.filter((pair) => pair[name] !== null).length,
    });
    const machines = stored.machines.filter((entry) => entry.machine === machine);
    found = { ...stored, ...summaryOf(pairs), base: side("base"), head: side("head"), machines, pairs };
  }
  if (q !== "" && series !== null) {
    const ids = new Set(matching(series, { q }).map(({ series_id }) => series_id));
    const pairs = found.pairs.filter(({ base, head }) =>
      [base, head].some((side) => side !== null && ids.has(side.series_id)),
    );
    found = { ...found, ...summaryOf(pairs), pairs };
  }
  const kinds = valuesIn(kind) ?? [];
  const wanted = found.pairs.filter((pair) => kinds.length === 0 || kinds.includes(pair.kind));
  return { ...found, pairs: limit === undefined ? wanted : largest(wanted, numberIn("limit", limit, 0)) };
}

/** The most urgent first. */
const KINDS: PairKind[] = ["slower", "faster", "elsewhere", "inconclusive", "unchanged", "not-comparable"];

/** At most `limit` pairs of each kind, the largest changes first. */
function largest(pairs: readonly ComparisonPair[], limit: number): ComparisonPair[] {
  return KINDS.flatMap((kind) =>
    pairs
      .filter((pair) => pair.kind === kind)
      .sort((one, other) => sizeOf(other) - sizeOf(one))
      .slice(0, limit),
  );
}

/** The size of a pair's change, in the figure that determined its kind. */
function sizeOf({ kind, change, p90, p99 }: ComparisonPair): number {
  switch (kind) {
    case "slower":
    case "faster":
    case "inconclusive":
      return Math.abs(change ?? 0);
    case "elsewhere":
      return Math.max(
        0,
        ...[p90, p99].flatMap((tail) => (tail?.verdict == null ? [] : Math.abs(tail.change ?? 0))),
      );
    default:
      return 0;
  }
}

function machineOf({ base, head }: ComparisonPair): string | undefined {
  return (head ?? base)?.machine;
}

/** What a comparison states about all its pairs. */
export function summaryOf(pairs: readonly ComparisonPair[]) {
  const count = (kind: PairKind) => pairs.filter((pair) => pair.kind === kind).length;
  const detectable = pairs.flatMap(({ kind, detectable_change }) =>
    kind === "unchanged" ? (detectable_change ?? []) : [],
  );
  return {
    counts: {
      slower: count("slower"),
      faster: count("faster"),
      elsewhere: count("elsewhere"),
      inconclusive: count("inconclusive"),
      unchanged: count("unchanged"),
      not_comparable: count("not-comparable"),
    },
    detectable_changes: detectable.length === 0 ? null : [Math.min(...detectable), Math.max(...detectable)],
    not_compared: notCompared(pairs),
  } satisfies Partial<Comparison>;
}

/** Why pairs are not compared, the most frequent reason first. */
function notCompared(pairs: readonly ComparisonPair[]): Comparison["not_compared"] {
  const reasonsOf = ({ differences, reasons }: ComparisonPair) => ({
    // The numbers of delivered messages differ in each case.
    differences: differences.map((entry) =>
      entry.what === "delivered" ? { ...entry, base: "", head: "" } : entry,
    ),
    reasons,
  });
  const groups = groupBy(
    pairs.filter(({ kind }) => kind === "not-comparable"),
    (pair) => JSON.stringify(reasonsOf(pair)),
  );
  return [...groups]
    .sort(([one], [other]) => ascending(one, other))
    .map(([, members]) => ({
      ...reasonsOf(members[0]),
      pair_count: members.length,
      machines: distinct(members.flatMap((pair) => machineOf(pair) ?? [])).sort(ascending),
    }))
    .sort((one, other) => other.pair_count - one.pair_count);
}
