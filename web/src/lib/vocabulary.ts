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

const SCENARIOS: Record<string, string> = {
  roundtrip: "round trip",
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
  return SCENARIOS[slug] ?? slug;
}
