/** A comparison as text for a pull request or an issue: a table as GitHub draws it, no longer than fits there. Pure. */
import type { Comparison, ComparisonPair } from "@/api/types";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { caseName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { counted, formatNs, upperFirst } from "@/lib/units";
import { countsText, headlineOf } from "./headline";
import {
  boundsOf,
  byKind,
  groupsOf,
  intervalText,
  KIND_NAMES,
  type Kind,
  machineOf,
  remarksOf,
  signedText,
  transportName,
  whyNot,
} from "./pairs";

/** A comment holds 65,536 characters; what is left is for who quotes it. */
const BYTES_MAX = 60_000;
/** Kept free for the line that says how much was left out. */
const BYTES_LEFT_OUT = 100;
/** What is not comparable is told of so many reasons. */
const REASONS_MAX = 20;
const REASON_LENGTH_MAX = 300;

const TOLD: Kind[] = ["slower", "faster", "elsewhere", "inconclusive"];
const MARKS: Partial<Record<Kind, string>> = { slower: "▲ ", faster: "▼ " };

/** All of it, with a link to the page that it is from. */
export function markdownOf(comparison: Comparison, link: string): string {
  const { base, head, counts, pairs } = comparison;
  const kinds = byKind(pairs);
  const opening = [
    `**${escaped(headlineOf(comparison))}**`,
    "",
    `Base ${commitText(base.commit)}, head ${commitText(head.commit)}. ${upperFirst(countsText(counts))}.`,
    "",
  ];
  const below = ["", ...reasonLines(comparison), `[All of it, with every repetition](${link})`, ""];
  const rows = TOLD.flatMap((kind) => kinds[kind].map((pair) => rowOf(pair, kind)));
  const fitting = fittingIn(BYTES_MAX - BYTES_LEFT_OUT - bytesOf(opening) - bytesOf(below), rows);
  const left = TOLD.reduce((sum, kind) => sum + counts[kind], 0) - fitting.length;
  return [
    ...opening,
    ...(rows.length === 0 ? [] : [...HEAD, ...fitting]),
    ...(left === 0 ? [] : ["", `And ${counted(left, "more row")} on the page.`]),
    ...below,
  ].join("\n");
}

const HEAD = [
  "| verdict | case | machine | base p50 | head p50 | change | 95 % interval | remarks |",
  "|---|---|---|--:|--:|--:|--:|---|",
];

function rowOf(pair: ComparisonPair, kind: Kind): string {
  const interval = boundsOf(pair.change_interval);
  const [base, head] = [pair.base, pair.head].map((side) =>
    side === null ? "" : formatNs(side.repetition_p50_ns.median),
  );
  const cells = [
    `${MARKS[kind] ?? ""}${KIND_NAMES[kind]}`,
    escaped(`${transportName(pair)} ${caseName(pair.case)}`),
    escaped(machineOf(pair)),
    base,
    head,
    pair.change === null ? "" : signedText(pair.change),
    interval === null ? "" : intervalText(interval),
    escaped(remarksOf(pair).join("; ")),
  ];
  return `| ${cells.join(" | ")} |`;
}

function reasonLines(comparison: Comparison): string[] {
  const groups = groupsOf(comparison);
  if (groups.length === 0) return [];
  const told = groups.slice(0, REASONS_MAX).map(({ title, count }) => {
    const text = title.length > REASON_LENGTH_MAX ? `${title.slice(0, REASON_LENGTH_MAX)}…` : title;
    return `- ${counted(count, "case")}: ${escaped(text)}`;
  });
  const left = groups.length - told.length;
  const more = left === 0 ? [] : [`- and for ${counted(left, "more reason")}`];
  return ["Not comparable:", "", ...told, ...more, ""];
}

function commitText({ sha, subject }: Comparison["base"]["commit"]): string {
  return `\`${shortSha(sha)}\` ${escaped(subject)}`;
}

function fittingIn(bytes: number, rows: string[]): string[] {
  let left = bytes - bytesOf(HEAD);
  const end = rows.findIndex((row) => {
    left -= bytesOf([row]);
    return left < 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function bytesOf(lines: string[]): number {
  return new TextEncoder().encode(`${lines.join("\n")}\n`).length;
}

/** What anybody may have written, without any meaning in Markdown: no table, link, mention or element comes of it. */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|~!]/g, "\\$&")
    .replaceAll("@", "&#64;");
}

type Pair = ComparisonPair;

const COLUMNS = [
  word("verdict", "verdict", ({ verdict }: Pair) => verdict),
  word("transport", "transport", transportName),
  word("case", "case", (pair: Pair) => caseName(pair.case)),
  word("machine", "machine", machineOf),
  figure("base p50", "base_p50_ns", ({ base }) => base?.repetition_p50_ns.median, formatNs),
  figure("head p50", "head_p50_ns", ({ head }) => head?.repetition_p50_ns.median, formatNs),
  figure("change", "change", ({ change }) => change),
  figure("at least", "change_low", ({ change_interval }) => change_interval?.[0]),
  figure("at most", "change_high", ({ change_interval }) => change_interval?.[1]),
  figure(
    "p",
    "p_adjusted",
    ({ p_adjusted }) => p_adjusted,
    (p) => p.toPrecision(2),
  ),
  figure("least change", "least_change", ({ least_change }) => least_change),
  figure("p90", "p90_change", ({ p90 }) => p90?.change),
  figure("p99", "p99_change", ({ p99 }) => p99?.change),
  word("remarks", "remarks", (pair: Pair) => [...whyNot(pair), ...remarksOf(pair)].join("; ")),
];

function figure(
  label: string,
  csvName: string,
  of: (pair: Pair) => number | null | undefined,
  write: (value: number) => string = signedText,
) {
  return num<Pair>(label, csvName, (pair) => of(pair) ?? null, write, "none");
}

/** A comparison's pairs as a plain table: those that are shown, those that are not compared with the reason. */
export function pairsTable(
  pairs: Pair[],
  { base, head }: Pick<Comparison, "base" | "head">,
  csvHref: string,
): ChartTable {
  const fileName = `comparison-${shortSha(base.commit.sha)}-${shortSha(head.commit.sha)}`;
  return { ...tableOf(fileName, () => pairs, COLUMNS), csvHref };
}
