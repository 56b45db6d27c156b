/** Methodologies side by side: what tells those of one case apart, in a few words. Pure. */
import type { Methodology } from "@/api/types";
import { formatCount } from "./units";
import { receiveName } from "./vocabulary";

type Trait = {
  of: (method: Methodology) => string;
  name: (method: Methodology) => string;
  /** What need not be said, because the other values are. */
  usual?: string[];
  /** It follows from how many messages are in flight: it is told only among those with as many. */
  ofWindow?: boolean;
};

const TRAITS: Trait[] = [
  {
    of: ({ on_full }) => on_full,
    name: ({ on_full }) => (on_full === "drop" ? "drops when full" : `${on_full}s when full`),
    usual: ["wait"],
  },
  {
    of: ({ wake }) => wake ?? "",
    name: ({ wake }) => (wake == null ? "no wake-ups" : `wakes ${wake.replaceAll("-", " ")}`),
    usual: ["", "if-asleep"],
  },
  {
    of: ({ storage }) => storage,
    name: ({ storage }) => `${storage} memory`,
    usual: ["touched-after-start", "cleared"],
  },
  // Who drops need not wait: that it does not is no other trait.
  {
    of: ({ send, on_full }) => (on_full === "drop" ? "blocking" : send),
    name: ({ send }) => `${send} send`,
    usual: ["blocking"],
  },
  { of: ({ receive }) => receive, name: ({ receive }) => receiveName(receive) },
  { of: ({ window }) => String(window), name: ({ window }) => `${formatCount(window)} in flight` },
  {
    of: ({ batch }) => String(batch),
    name: ({ batch }) => `${formatCount(batch)} timed together`,
    ofWindow: true,
  },
  {
    of: ({ warmup }) => String(warmup),
    name: ({ warmup }) => `warm-up ${formatCount(warmup)}`,
    ofWindow: true,
  },
  { of: ({ clock }) => clock, name: ({ clock }) => clock },
  { of: ({ payload }) => payload, name: ({ payload }) => payload },
  {
    of: ({ discarded_repetitions }) => String(discarded_repetitions ?? 0),
    name: ({ discarded_repetitions }) => `${formatCount(discarded_repetitions ?? 0)} discarded`,
  },
  {
    of: ({ protocol_version }) => String(protocol_version),
    name: ({ protocol_version }) => `protocol version ${protocol_version}`,
  },
];

/**
 * What a methodology has that others of the same case have not: `drops when full`, `wakes always`. Of two that differ,
 * at least one says so.
 */
export function distinguishing(method: Methodology, others: Methodology[]): string[] {
  return TRAITS.filter(({ of, usual = [], ofWindow = false }) => {
    const rivals = others.filter(({ window }) => !ofWindow || window === method.window);
    const differing = rivals.map(of).filter((value) => value !== of(method));
    const isUnderstood = usual.includes(of(method)) && !differing.some((value) => usual.includes(value));
    return differing.length > 0 && !isUnderstood;
  }).map(({ name }) => name(method));
}

export function agreement(a: Methodology, b: Methodology): number {
  return TRAITS.filter(({ of }) => of(a) === of(b)).length;
}
