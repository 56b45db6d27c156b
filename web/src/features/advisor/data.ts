/** Texts about the server's advice. Pure. */
import type { AdviceGroup, RankedTransport } from "@/api/types";
import { parameterName } from "@/lib/cases";
import { groupBy } from "@/lib/collections";
import { barsOf, sizeOf } from "@/lib/statistics";
import { counted, formatBytes, inWords, shareOfAll, unbroken } from "@/lib/units";
import { modeName, placementName, receiveName } from "@/lib/vocabulary";
import { type Bucket, countOf } from "./sizes";

const NAMED_ELSEWHERE = ["machine", "mode", "placement", "scenario", "senders", "peers"];
/** Parameters that do not distinguish transports. */
const NO_TRAITS = ["warmup", "clock", "discarded_repetitions"];

type Named = Pick<RankedTransport, "transport" | "distinguishing">;

/** The name of a transport in its group, with its differences from others of that name. */
export function nameIn({ ranking, not_ranked }: AdviceGroup, { transport, distinguishing }: Named): string {
  const siblings = [...ranking, ...not_ranked].filter((other) => other.transport.slug === transport.slug);
  const traits = Object.entries(distinguishing).filter(
    ([name, value]) =>
      !NO_TRAITS.includes(name) && siblings.some((other) => other.distinguishing[name] !== value),
  );
  return [transport.slug, ...traits.map(([name, value]) => traitName(name, value))].join(", ");
}

/** The name of the transport at a position in the ranking. */
export function nameAt(group: AdviceGroup, place: number, unknown = ""): string {
  const ranked = group.ranking[place];
  return ranked === undefined ? unknown : nameIn(group, ranked);
}

/** Identifies a ranked transport across answers. */
export function keyOf({ transport, distinguishing }: Named): string {
  return JSON.stringify([transport.slug, ...Object.entries(distinguishing).sort()]);
}

export function groupKey({ machine, case: facts, oversubscribed }: AdviceGroup): string {
  return JSON.stringify([machine, oversubscribed, ...Object.entries(facts).sort()]);
}

/** The ranked places: for each machine and case, the group with most transports. The others differ in methodology. */
export function placesOf(groups: readonly AdviceGroup[]): { places: AdviceGroup[]; others: AdviceGroup[] } {
  const sizeOf = ({ oversubscribed, ranking }: AdviceGroup) => (oversubscribed ? 0 : ranking.length);
  const alike = [...groupBy(groups, placeKey).values()].map((of) =>
    of.toSorted((a, b) => sizeOf(b) - sizeOf(a)),
  );
  return { places: alike.flatMap(([first]) => first ?? []), others: alike.flatMap(([, ...rest]) => rest) };
}

function placeKey({ machine, case: facts }: AdviceGroup): string {
  return JSON.stringify([machine, ...NAMED_ELSEWHERE.map((name) => facts[name])]);
}

/** Machine, placement and mode. */
export function placeName({ machine, case: { placement, mode } }: AdviceGroup): string {
  return [
    machine,
    ...(placement === undefined ? [] : [placementName(placement)]),
    ...(mode === undefined ? [] : [modeName(mode)]),
  ].join(", ");
}

/** The name of a group: its place and its differences from other groups. */
export function groupName(group: AdviceGroup, groups: readonly AdviceGroup[]): string {
  const { case: facts, oversubscribed } = group;
  const names = Object.keys(facts).filter(
    (name) => !NAMED_ELSEWHERE.includes(name) && groups.some((other) => other.case[name] !== facts[name]),
  );
  return [
    placeName(group),
    ...names.map((name) => traitName(name, facts[name] ?? "")),
    ...(oversubscribed ? ["oversubscribed"] : []),
  ].join(", ");
}

/** The recommendation: the answer of the only place, or the transport that is fastest in most. */
export function headlineOf(places: readonly AdviceGroup[]): string {
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0) return answerOf(only);
  const wins = groupBy(
    places.flatMap(({ ranking: [first] }) => first ?? []),
    ({ transport }) => transport.title,
  );
  const [most] = [...wins].sort(([, one], [, other]) => other.length - one.length);
  if (most === undefined) return "No measurements for these messages.";
  const [title, { length }] = most;
  const [count, all] = [inWords(length), inWords(places.length)];
  if (length < places.length) return `${title} is fastest on ${count} of ${all} machines.`;
  return `${title} is fastest on ${length === 2 ? "both" : `all ${all}`} machines.`;
}

/** The first sentence of the answer. */
export function answerOf({ answer }: AdviceGroup): string {
  return sentencesOf(answer)[0] ?? "";
}

export function sentencesOf(answer: string): string[] {
  return answer.split(/(?<=\.) (?=[A-Z])/);
}

/** `37,573 messages of 12 B to 15.7 KiB` */
export function messagesText(buckets: readonly Bucket[]): string {
  const some = buckets.filter(({ count }) => count > 0);
  const [first, last] = [some[0], some.at(-1)];
  if (first === undefined || last === undefined) return "No messages";
  const [least, most] = [sizeOf(first.from_bytes, 3), sizeOf(last.to_bytes, 3)].map(unbroken);
  const sizes = least === most ? least : `${least} to ${most}`;
  return `${counted(countOf(some), "message")} of ${sizes}`;
}

export function timesText(times: number): string {
  return times >= 1 ? `${Number(times.toPrecision(3))}x` : `1/${Number((1 / times).toPrecision(3))}x`;
}

/** The steps of the slider: doublings, with one step in between. */
export const STEPS: number[] = Array.from({ length: 29 }, (_, index) => stepAt(index - 8));

function stepAt(half: number): number {
  const power = 2 ** Math.floor(half / 2);
  return half % 2 === 0 ? power : power * 1.5;
}

/** The step of the slider that is closest to a factor. */
export function stepOf(times: number): number {
  const distance = (step: number) => Math.abs(Math.log(step / times));
  return STEPS.reduce((best, step, index) => (distance(step) < distance(STEPS[best] ?? 1) ? index : best), 0);
}

/** The ratio to the fastest, with its interval: in percent, or as a factor from 2 on. */
export function behindText({ ratio, low, high }: NonNullable<RankedTransport["behind_first"]>): {
  behind: string;
  interval: string;
} {
  const isMultiple = ratio >= 2;
  const text = (value: number) => numberText(isMultiple ? value : 100 * (value - 1));
  return {
    behind: isMultiple ? `× ${text(ratio)}` : `+${text(ratio)} %`,
    interval: low === null || high === null ? "" : `[${text(low)}, ${text(high)}]`,
  };
}

/** Shares of messages below the smallest measured size. */
export function belowTexts(group: AdviceGroup): string[] {
  const short = group.ranking.filter(({ below_measured_share }) => below_measured_share > 0);
  const parts = groupBy(short, ({ below_measured_share: share, measured: [least] }) => {
    const size = unbroken(formatBytes(least?.message_bytes ?? 0));
    return `${unbroken(share >= 1 ? "100 %" : shareOfAll(share))} of messages are smaller than ${size}, the smallest measured size`;
  });
  return [...parts.entries()].map(([text, lines]) =>
    lines.length === group.ranking.length
      ? `${text}.`
      : `${text} for ${lines.map((line) => nameIn(group, line)).join(", ")}.`,
  );
}

/** The fastest transport with scaled message sizes. */
export function changeText(
  group: AdviceGroup,
  { factor, place }: AdviceGroup["would_change"][number],
): string {
  const name = nameAt(group, place, "another transport");
  return `At ${timesText(factor)} message sizes, ${name} is fastest.`;
}

/** The median message size in bytes. */
export function medianOf(buckets: readonly Bucket[]): number {
  const bar = barsOf(buckets).find(({ cumulative }) => cumulative >= 0.5);
  return bar === undefined ? 0 : Math.sqrt(Math.max(1, bar.from) * bar.to);
}

/** The measurement of a transport at the nearest size. */
export function pointFor(
  { measured }: RankedTransport,
  bytes: number,
): RankedTransport["measured"][number] | undefined {
  const distance = (size: number) => Math.abs(Math.log(Math.max(1, size) / Math.max(1, bytes)));
  return [...measured].sort((a, b) => distance(a.message_bytes) - distance(b.message_bytes))[0];
}

export function processorsText(cpus: number): string {
  return cpus >= 0.995 ? cpus.toFixed(2) : unbroken(shareOfAll(cpus));
}

function traitName(name: string, value: string): string {
  return name === "receive" ? receiveName(value) : parameterName(name, value);
}

/** Two significant digits. */
function numberText(percent: number): string {
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  return percent.toFixed(digits).replace("-", "−");
}
