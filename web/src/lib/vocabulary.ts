/** Display names for slugs of the API. Unknown slugs are shown unchanged. */

const namesOf = (names: Record<string, string>) => (slug: string) => names[slug] ?? slug;

export const placementName = namesOf({
  "same-cpu": "same CPU",
  "cross-cpu": "across CPUs",
  free: "unpinned",
});

const MODES: Record<string, { two: string; many: string }> = {
  "2proc": { two: "two processes", many: "one process each" },
  "2thread": { two: "two threads", many: "threads in one process" },
};

/** The latency of an operation with several messages or handles. */
const ALL_RECEIVED = "from an operation’s first send to its last receipt";

const SCENARIOS: Record<string, { name: string; latency: string }> = {
  roundtrip: { name: "round trip", latency: "from send to reply" },
  "write-and-read": { name: "round trip, written and read", latency: "from write to read reply" },
  stream: { name: "stream", latency: "from a transfer’s first write to its last receipt" },
  "open-loop": { name: "open loop", latency: "from scheduled send to receipt" },
  "handle-passing": { name: "handle passing", latency: ALL_RECEIVED },
  route: { name: "route", latency: ALL_RECEIVED },
  "channel-1-n": { name: "one-to-many channel", latency: ALL_RECEIVED },
  "channel-n-1": { name: "many-to-one channel", latency: ALL_RECEIVED },
  "channel-n-n": { name: "many-to-many channel", latency: ALL_RECEIVED },
};

export const onFullName = namesOf({
  wait: "sender waits",
  drop: "message dropped",
});

/** How an end waits for a message. */
export const receiveName = namesOf({
  block: "blocks",
  "spin-then-block": "spins, then blocks",
  spin: "spins",
});

/** When a ring sends a wake-up. */
export const wakeName = namesOf({
  "if-asleep": "if the other end sleeps",
  always: "with every message",
});

export const storageName = namesOf({
  "touched-after-start": "pre-faulted by its user before timing",
  cleared: "new and zeroed",
  warm: "used before",
});

export function modeName(slug: string, ends = 2): string {
  return MODES[slug]?.[ends > 2 ? "many" : "two"] ?? slug;
}

export function scenarioName(slug: string): string {
  return SCENARIOS[slug]?.name ?? slug;
}

/** The interval that a latency covers; `null` for an unknown scenario. */
export function latencyMeaning(slug: string): string | null {
  return SCENARIOS[slug]?.latency ?? null;
}
