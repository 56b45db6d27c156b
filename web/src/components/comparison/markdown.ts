/** A comparison as Markdown for a pull request or issue, within GitHub's size limit. Pure. */
import type { Comparison, ComparisonPair } from "@/api/types";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { caseName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { counted, formatValue, upperFirst } from "@/lib/units";
import { countsText, headlineOf } from "./headline";
import { consequenceOf, movementLines } from "./movement";
import {
  boundsOf,
  byKind,
  groupsOf,
  intervalText,
  KIND_NAMES,
  machineOf,
  reasonsOf,
  remarksOf,
  signedText,
  transportName,
} from "./pairs";
import type { Kind } from "./search";

/** A comment holds 65,536 characters; the rest is for text around it. */
const BYTES_MAX = 60_000;
/** Reserved for the line with the number of omitted rows. */
const BYTES_LEFT_OUT = 100;
/** The number of reasons in the section about incomparable cases. */
const REASONS_MAX = 20;
const REASON_LENGTH_MAX = 300;

const LISTED: Kind[] = ["slower", "faster", "elsewhere", "inconclusive"];
const MARKS: Partial<Record<Kind, string>> = { slower: "🔴 ", faster: "🟢 " };

/** The comparison, with a link to its page. */
export function markdownOf(comparison: Comparison, link: string): string {
  const { base, head, counts, pairs } = comparison;
  const kinds = byKind(pairs);
  const opening = [
    `**${escaped(headlineOf(comparison))}**`,
    "",
    ...movementLines(comparison).flatMap((line) => [
      escaped(`${line.text} ${consequenceOf(line).join("")}`),
      "",
    ]),
    `Base ${commitText(base.commit)}, head ${commitText(head.commit)}. ${upperFirst(countsText(counts))}.`,
    "",
  ];
  const below = ["", ...reasonLines(comparison), `[Full comparison](${link})`, ""];
  const rows = LISTED.flatMap((kind) => kinds[kind].map((pair) => rowOf(pair, kind)));
  const fitting = fittingIn(BYTES_MAX - BYTES_LEFT_OUT - bytesOf(opening) - bytesOf(below), rows);
  const left = LISTED.reduce((sum, kind) => sum + counts[kind], 0) - fitting.length;
  return [
    ...opening,
    ...(rows.length === 0 ? [] : [...HEAD, ...fitting]),
    ...(left === 0 ? [] : ["", `${counted(left, "more row")} in the full comparison.`]),
    ...below,
  ].join("\n");
}

const HEAD = [
  "| Verdict | Case | Machine | Base p50 | Head p50 | Change | 95 % CI | Remarks |",
  "|---|---|---|--:|--:|--:|--:|---|",
];

function rowOf(pair: ComparisonPair, kind: Kind): string {
  const interval = boundsOf(pair.change_interval);
  const [base, head] = [pair.base, pair.head].map((side) =>
    side === null ? "" : formatValue(side.repetition_p50_ns.median, pair.case),
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
  const listed = groups.slice(0, REASONS_MAX).map(({ title, count }) => {
    const text = title.length > REASON_LENGTH_MAX ? `${title.slice(0, REASON_LENGTH_MAX)}…` : title;
    return `- ${counted(count, "case")}: ${escaped(text)}`;
  });
  const left = groups.length - listed.length;
  const more = left === 0 ? [] : [`- ${counted(left, "more reason")}`];
  return ["Not comparable:", "", ...listed, ...more, ""];
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

/** Escapes untrusted text, so that it cannot create tables, links, mentions or elements. */
function escaped(text: string): string {
  // A zero-width space prevents a mention: forges decode the escape before they look for names.
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|~!]/g, "\\$&")
    .replaceAll("@", "&#64;&#8203;");
}

type Pair = ComparisonPair;

const p50Text = (stored: number, pair: Pair) => formatValue(stored, pair.case);

const COLUMNS = [
  word("Verdict", "verdict", ({ verdict }: Pair) => verdict),
  word("Transport", "transport", transportName),
  word("Case", "case", (pair: Pair) => caseName(pair.case)),
  word("Machine", "machine", machineOf),
  figure("Base p50", "base_p50_ns", ({ base }) => base?.repetition_p50_ns.median, p50Text),
  figure("Head p50", "head_p50_ns", ({ head }) => head?.repetition_p50_ns.median, p50Text),
  figure("Change", "change", ({ change }) => change),
  figure("CI low", "change_low", ({ change_interval }) => change_interval?.[0]),
  figure("CI high", "change_high", ({ change_interval }) => change_interval?.[1]),
  figure(
    "p",
    "p_adjusted",
    ({ p_adjusted }) => p_adjusted,
    (p) => p.toPrecision(2),
  ),
  figure("Threshold", "least_change", ({ least_change }) => least_change),
  figure("Detectable", "detectable_change", ({ detectable_change }) => detectable_change),
  figure("p90", "p90_change", ({ p90 }) => p90?.change),
  figure("p99", "p99_change", ({ p99 }) => p99?.change),
  word("Remarks", "remarks", (pair: Pair) => [...reasonsOf(pair), ...remarksOf(pair)].join("; ")),
];

function figure(
  label: string,
  csvName: string,
  of: (pair: Pair) => number | null | undefined,
  write: (value: number, pair: Pair) => string = signedText,
) {
  return num<Pair>(label, csvName, (pair) => of(pair) ?? null, write, "none");
}

/** The loaded pairs as a plain table, with the reason for those not comparable. */
export function pairsTable(
  pairs: Pair[],
  { base, head }: Pick<Comparison, "base" | "head">,
  csvHref: string | null,
): ChartTable {
  const fileName = `comparison-${shortSha(base.commit.sha)}-${shortSha(head.commit.sha)}`;
  return { ...tableOf(fileName, () => pairs, COLUMNS), csvHref };
}
