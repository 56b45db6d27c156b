/** Names for the differences between methodologies of one case. Pure. */
import type { Methodology } from "@/api/types";
import { formatCount } from "./units";
import { receiveName } from "./vocabulary";

type Trait = {
  of: (method: Methodology) => string;
  name: (method: Methodology) => string;
  /** Default values: not named, because the other values are. */
  usual?: string[];
  /** Depends on the window: compared only between equal windows. */
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
    name: ({ wake }) =>
      wake == null
        ? "no wake-ups"
        : wake === "always"
          ? "always wakes"
          : `wakes ${wake.replaceAll("-", " ")}`,
    usual: ["", "if-asleep"],
  },
  {
    of: ({ storage }) => storage,
    name: ({ storage }) => `${storage} memory`,
    usual: ["touched-after-start", "cleared"],
  },
  // A sender that drops does not wait, so its send mode is no further difference.
  {
    of: ({ send, on_full }) => (on_full === "drop" ? "blocking" : send),
    name: ({ send }) => `${send} send`,
    usual: ["blocking"],
  },
  { of: ({ receive }) => receive, name: ({ receive }) => receiveName(receive) },
  { of: ({ window }) => String(window), name: ({ window }) => `window ${formatCount(window)}` },
  {
    of: ({ batch }) => String(batch),
    name: ({ batch }) => `batch ${formatCount(batch)}`,
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
 * The differences from other methodologies of the same case: `drops when full`, `always wakes`. If two differ, at least
 * one of them has a name.
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
