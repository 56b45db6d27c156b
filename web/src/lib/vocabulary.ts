/**
 * The words that the wire has slugs for. Transports, scenarios and placements are data: a slug that is not
 * listed here is shown as it is.
 */

const namesOf = (names: Record<string, string>) => (slug: string) => names[slug] ?? slug;

export const placementName = namesOf({
  "same-cpu": "same CPU",
  "cross-cpu": "across CPUs",
  free: "unpinned",
});

const MODES: Record<string, { two: string; many: string }> = {
  "2proc": { two: "two processes", many: "a process each" },
  "2thread": { two: "two threads", many: "threads of one process" },
};

/** Times of one operation of `route` and the channels. */
const ALL_RECEIVED = "from the first send of an operation to the last receipt of its messages";

const SCENARIOS: Record<string, { name: string; latency: string }> = {
  roundtrip: { name: "round trip", latency: "from sending a message to receiving its answer" },
  stream: { name: "stream", latency: "from the first write to the last receipt of one transfer" },
  "open-loop": {
    name: "open loop",
    latency: "from the moment a message was due to be sent to its receipt",
  },
  "handle-passing": {
    name: "handle passing",
    latency: "from the first send to the last receipt of the handles of one operation",
  },
  route: { name: "route", latency: ALL_RECEIVED },
  "channel-1-n": { name: "one-to-many channel", latency: ALL_RECEIVED },
  "channel-n-1": { name: "many-to-one channel", latency: ALL_RECEIVED },
  "channel-n-n": { name: "many-to-many channel", latency: ALL_RECEIVED },
};

export const onFullName = namesOf({
  wait: "the sender waits",
  drop: "the message is dropped",
});

/** How who must wait does it. */
export const receiveName = namesOf({
  block: "blocks",
  "spin-then-block": "spins, then blocks",
  spin: "spins",
});

/** When a ring sends a wake-up. */
export const wakeName = namesOf({
  "if-asleep": "when somebody sleeps",
  always: "after every message sent or taken, a system call each",
});

export const storageName = namesOf({
  "touched-after-start": "touched by who uses it, before the clock started",
  cleared: "new and zeroed, used by nobody before",
  warm: "used before, by others that died at it",
});

export function modeName(slug: string, ends = 2): string {
  return MODES[slug]?.[ends > 2 ? "many" : "two"] ?? slug;
}

export function scenarioName(slug: string): string {
  return SCENARIOS[slug]?.name ?? slug;
}

/** What one latency of a scenario spans; `null` where it is not known here. */
export function latencyMeaning(slug: string): string | null {
  return SCENARIOS[slug]?.latency ?? null;
}
