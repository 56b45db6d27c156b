/**
 * The words that the wire has slugs for. Transports, scenarios and placements are data: a slug that is not
 * listed here is shown as it is.
 */

const PLACEMENTS: Record<string, string> = {
  "same-cpu": "same CPU",
  "cross-cpu": "across CPUs",
  free: "unpinned",
};

const MODES: Record<string, string> = {
  "2proc": "two processes",
  "2thread": "two threads",
};

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
};

/** Where the two ends run. */
export function placementName(slug: string): string {
  return PLACEMENTS[slug] ?? slug;
}

/** What the two ends are. */
export function modeName(slug: string): string {
  return MODES[slug] ?? slug;
}

/** The traffic pattern. */
export function scenarioName(slug: string): string {
  return SCENARIOS[slug]?.name ?? slug;
}

/** What one latency of a scenario spans; `null` where it is not known here. */
export function latencyMeaning(slug: string): string | null {
  return SCENARIOS[slug]?.latency ?? null;
}
