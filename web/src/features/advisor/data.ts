/** What the page says of the server's advice. Pure. */
import type { Advice, AdviceGroup, RankedLine } from "@/api/types";
import type { SizeBar } from "@/components/chart/SizeHistogramChart";
import { distinct, groupBy } from "@/lib/collections";
import { sizeOf } from "@/lib/intervals";
import { parameterName } from "@/lib/sweep";
import { counted, formatBytes, formatNs, inWords, shareOfAll, unbroken } from "@/lib/units";
import { modeName, placementName, receiveName, scenarioName } from "@/lib/vocabulary";
import { type Bucket, countOf } from "./sizes";

/** Parameters that a line is never called by: all of a group have the same, or a column says it. */
const TOLD_ELSEWHERE = ["machine", "mode", "placement", "receive", "scenario", "transport"];

/** Buckets as bars of messages so many times as long; a bar ends where sizes begin that are not in it. */
export function barsOf(buckets: readonly Bucket[], times = 1): SizeBar[] {
  const total = Math.max(1, countOf(buckets));
  const bytes = (size: number) => Math.round(size * times);
  let sum = 0;
  return buckets.map(({ from_bytes, to_bytes, count }) => {
    sum += count;
    const from = bytes(from_bytes);
    return { from, to: Math.max(from + 1, bytes(to_bytes + 1)), count, cumulative: sum / total };
  });
}

/** A ranked transport by its name, and what else tells it from others of the same name. */
export function lineName({ transport, told_apart }: Pick<RankedLine, "transport" | "told_apart">): string {
  const traits = Object.entries(told_apart)
    .filter(([name]) => !TOLD_ELSEWHERE.includes(name))
    .map(([name, value]) => parameterName(name, value));
  return [transport.slug, ...traits].join(", ");
}

/** What stays the same of a ranked transport from one answer to the next. */
export function lineKey({ transport, told_apart, waits }: RankedLine): string {
  return [transport.slug, waits, ...Object.entries(told_apart).flat()].join(" ");
}

/** What stays the same of a group. */
export function groupKey({ machine, placement, mode, scenario }: AdviceGroup): string {
  return [machine, placement, mode, scenario].join(" ");
}

/** How a group was measured, in words. */
export function groupName({ machine, placement, mode, scenario }: AdviceGroup): string {
  return [machine, placementName(placement), modeName(mode), `${scenarioName(scenario)}s`].join(", ");
}

/** The page's sentence: the answer of the only group, or whether the groups agree. */
export function headlineOf({ groups }: Pick<Advice, "groups">): string {
  const [only, ...others] = groups;
  if (only === undefined) return "Nothing measured answers this yet.";
  if (others.length === 0) return only.answer;
  const firsts = groups.map(({ ranking: [first] }) => (first === undefined ? null : lineName(first)));
  const [same, ...different] = distinct(firsts);
  const machines = distinct(groups.map(({ machine }) => machine)).length;
  const where =
    machines === groups.length
      ? `${machines === 2 ? "both" : `all ${inWords(machines)}`} machines`
      : `all that was measured, ${counted(groups.length, "way")} on ${counted(machines, "machine")}`;
  return same != null && different.length === 0
    ? `${same} comes first for these messages on ${where}.`
    : "Which transport comes first for these messages depends on the machine.";
}

/** What the messages are, in a few words: `37,573 messages of 12 B to 15.7 KiB`. */
export function messagesText(buckets: readonly Bucket[]): string {
  const some = buckets.filter(({ count }) => count > 0);
  const [first, last] = [some[0], some.at(-1)];
  if (first === undefined || last === undefined) return "no messages";
  const [least, most] = [sizeOf(first.from_bytes, 3), sizeOf(last.to_bytes, 3)].map(unbroken);
  const sizes = least === most ? least : `${least} to ${most}`;
  return `${counted(countOf(some), "message")} of ${sizes}`;
}

/** So many times as long, in a few words. */
export function timesText(times: number): string {
  if (times === 1) return "as they are";
  return times > 1 ? `× ${Number(times.toPrecision(3))}` : `÷ ${Number((1 / times).toPrecision(3))}`;
}

/** The same within a sentence. */
export function longerText(times: number): string {
  const many = Number((times > 1 ? times : 1 / times).toPrecision(3));
  const word = many === 2 ? "twice" : `${many} times`;
  if (times > 1) return `${word} as long`;
  return many === 2 ? "half as long" : `1/${many} as long`;
}

/** The places of the slider: whole doublings and one between each two. */
export const STEPS: number[] = Array.from({ length: 29 }, (_, index) => stepAt(index - 8));

function stepAt(half: number): number {
  const power = 2 ** Math.floor(half / 2);
  return half % 2 === 0 ? power : power * 1.5;
}

/** The place of the slider that is next to a number. */
export function stepOf(times: number): number {
  const distance = (step: number) => Math.abs(Math.log(step / times));
  return STEPS.reduce((best, step, index) => (distance(step) < distance(STEPS[best] ?? 1) ? index : best), 0);
}

/** How far behind the first one, with its interval: in percent, and what takes twice as long or longer as a multiple. */
export function behindText(behind: NonNullable<RankedLine["behind_first"]>): {
  behind: string;
  interval: string;
} {
  const { percent, low, high } = behind;
  const isMultiple = percent >= 100;
  const text = (value: number) => numberText(isMultiple ? 1 + value / 100 : value);
  return {
    behind: isMultiple ? `× ${text(percent)}` : `+${text(percent)} %`,
    interval: low === null || high === null ? "[not known]" : `[${text(low)}, ${text(high)}]`,
  };
}

/** How a transport waits and at which sizes it was measured, in a few words. */
export function measuredText({ waits, told_apart, measured_bytes: { min, max } }: RankedLine): string {
  const receive = told_apart.receive === undefined ? waits : receiveName(told_apart.receive);
  return `${receive}; measured from ${unbroken(formatBytes(min))} to ${unbroken(formatBytes(max))}`;
}

/** Which messages are shorter than any that was measured, a sentence for each such share. */
export function belowTexts(ranking: RankedLine[]): string[] {
  const short = ranking.filter(({ below_measured_share }) => below_measured_share > 0);
  const parts = groupBy(short, ({ below_measured_share: share, measured_bytes }) => {
    const least = unbroken(formatBytes(measured_bytes.min));
    return `${share >= 1 ? "All" : unbroken(shareOfAll(share))} of these messages are shorter than ${least}, the shortest that was measured`;
  });
  return [...parts.entries()].map(([text, lines]) =>
    lines.length === ranking.length ? `${text}.` : `${text} of ${lines.map(lineName).join(", ")}.`,
  );
}

/** A ranked transport of a group by its place in the answer. */
export function rankedAt({ ranking }: AdviceGroup, line: number): RankedLine | undefined {
  return ranking.find((ranked) => ranked.line === line);
}

/** What would be first with longer or shorter messages, a sentence each. */
export function changeText(group: AdviceGroup, change: AdviceGroup["would_change"][number]): string {
  const ranked = rankedAt(group, change.line);
  const name = ranked === undefined ? "another transport" : lineName(ranked);
  return `If all messages were ${longerText(change.factor)}, ${name} would come first.`;
}

/** The size that half of the messages are not longer than, in bytes. */
export function medianOf(buckets: readonly Bucket[]): number {
  const bar = barsOf(buckets).find(({ cumulative }) => cumulative >= 0.5);
  return bar === undefined ? 0 : Math.sqrt(Math.max(1, bar.from) * bar.to);
}

/** What was measured of a transport at the size that is nearest to one. */
export function pointFor({ sizes }: RankedLine, bytes: number): RankedLine["sizes"][number] | undefined {
  const distance = (size: number) => Math.abs(Math.log(Math.max(1, size) / Math.max(1, bytes)));
  return [...sizes].sort((a, b) => distance(a.message_bytes) - distance(b.message_bytes))[0];
}

/** Where the first one and others cross: what changes the answer when messages move across. */
export function crossingsOfFirst(group: AdviceGroup): AdviceGroup["crossovers"] {
  const first = group.ranking[0]?.line;
  return group.crossovers.filter(({ below, above }) => below === first || above === first);
}

/** A share of a processor: more than all of one, too. */
export function processorText(share: number): string {
  return share >= 1 ? `${share.toFixed(1)} CPUs` : shareOfAll(share);
}

/** A time of a message's own work. */
export function cpuText(ns: number): string {
  return formatNs(Math.round(ns));
}

/** Two digits; a tenth only where there is no more. */
function numberText(percent: number): string {
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  return percent.toFixed(digits).replace("-", "−");
}
