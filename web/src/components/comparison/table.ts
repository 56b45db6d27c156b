/** A comparison's pairs as a plain table: those that are shown, those that are not compared with the reason. */
import type { Comparison, ComparisonPair } from "@/api/types";
import type { ChartTable } from "@/components/chart/ChartFrame";
import { caseName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { formatNs } from "@/lib/units";
import { whyNot } from "./differences";
import { keyOf, machineOf, remarksOf, transportName } from "./pairs";
import { signedText } from "./shares";

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
