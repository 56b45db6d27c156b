/** A comparison as text for a pull request or an issue: a table as GitHub draws it, no longer than fits there. Pure. */
import type { Comparison, ComparisonPair } from "@/api/types";
import type { ChartTable } from "@/components/chart/ChartFrame";
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
  keyOf,
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

/** The rows that are worth reading there. */
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

/** As many of the rows as fit, from the first one on. */
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

type Name = { label: string; csvName: string; of: (pair: ComparisonPair) => string };

type Figure = {
  label: string;
  csvName: string;
  of: (pair: ComparisonPair) => number | null | undefined;
  text: (value: number) => string;
};

const NAMES: Name[] = [
  { label: "verdict", csvName: "verdict", of: ({ verdict }) => verdict },
  { label: "transport", csvName: "transport", of: transportName },
  { label: "case", csvName: "case", of: (pair) => caseName(pair.case) },
  { label: "machine", csvName: "machine", of: machineOf },
];

const FIGURES: Figure[] = [
  {
    label: "base p50",
    csvName: "base_p50_ns",
    of: ({ base }) => base?.repetition_p50_ns.median,
    text: formatNs,
  },
  {
    label: "head p50",
    csvName: "head_p50_ns",
    of: ({ head }) => head?.repetition_p50_ns.median,
    text: formatNs,
  },
  { label: "change", csvName: "change", of: ({ change }) => change, text: signedText },
  {
    label: "at least",
    csvName: "change_low",
    of: ({ change_interval }) => change_interval?.[0],
    text: signedText,
  },
  {
    label: "at most",
    csvName: "change_high",
    of: ({ change_interval }) => change_interval?.[1],
    text: signedText,
  },
  { label: "p", csvName: "p_adjusted", of: ({ p_adjusted }) => p_adjusted, text: (p) => p.toPrecision(2) },
  {
    label: "least change",
    csvName: "least_change",
    of: ({ least_change }) => least_change,
    text: signedText,
  },
  { label: "p90", csvName: "p90_change", of: ({ p90 }) => p90?.change, text: signedText },
  { label: "p99", csvName: "p99_change", of: ({ p99 }) => p99?.change, text: signedText },
];

const REMARKS: Name = {
  label: "remarks",
  csvName: "remarks",
  of: (pair) => [...whyNot(pair), ...remarksOf(pair)].join("; "),
};

/** A comparison's pairs as a plain table: those that are shown, those that are not compared with the reason. */
export function tableOf(
  pairs: ComparisonPair[],
  { base, head }: Pick<Comparison, "base" | "head">,
  csvHref: string,
): ChartTable {
  const named = ({ label, csvName }: Name) => ({ label, csvName, number: false });
  return {
    fileName: `comparison-${shortSha(base.commit.sha)}-${shortSha(head.commit.sha)}`,
    csvHref,
    columns: [
      ...NAMES.map(named),
      ...FIGURES.map(({ label, csvName }) => ({ label, csvName, number: true })),
      named(REMARKS),
    ],
    rows: () =>
      pairs.map((pair) => {
        const names = NAMES.map(({ of }) => of(pair));
        const figures = FIGURES.map(({ of, text }) => ({ value: of(pair) ?? null, text }));
        const remarks = REMARKS.of(pair);
        return {
          key: keyOf(pair),
          cells: [
            ...names,
            ...figures.map(({ value, text }) => (value === null ? "none" : text(value))),
            remarks,
          ],
          csv: [...names, ...figures.map(({ value }) => value), remarks],
        };
      }),
  };
}
