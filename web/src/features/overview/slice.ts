/** Slices: the part of all measurements that the overview shows at a time. Pure. */
import type { Case, SeriesFacets, SeriesSummary } from "@/api/types";
import {
  byParameters,
  type Named,
  type Parameters,
  parametersKey,
  parametersOf,
  USUAL_PARAMETERS,
} from "@/lib/cases";
import { chosen, placementsOf, scenariosOf, valuesOf } from "@/lib/choices";
import { ascending } from "@/lib/collections";
import type { OverviewSearch } from "./search";

/** One slice of the measurements: everything that is not transport, machine or commit. */
export type Slice = Traffic & { parameters: Parameters };

export type Traffic = { scenario: string; mode: string; placement: string; bytes: number };

export type SliceOptions = { scenarios: string[]; modes: string[]; placements: string[]; sizes: number[] };

/** The slice that the page opens with, as far as it was measured. */
const USUAL = { scenario: "roundtrip", mode: "2proc", placement: "same-cpu", bytes: 1024 };

/** The scenario to show: what was asked for where it was measured, else the usual one; `undefined` where none was. */
export function chosenScenario(all: SeriesFacets, { scenario }: OverviewSearch): string | undefined {
  return chosen(scenariosOf(all.scenario), scenario, USUAL.scenario);
}

/** What can be chosen, of all there is and of what there is within the chosen scenario. */
export function sliceOptions(all: SeriesFacets, within: SeriesFacets): SliceOptions {
  return {
    scenarios: scenariosOf(all.scenario),
    modes: valuesOf(within.mode),
    placements: placementsOf(within.placement),
    sizes: within.message_bytes.map(({ value }) => value).sort(ascending),
  };
}

/** The rest of what to show: what was asked for where it was measured, else the usual one, else the first there is. */
export function chosenTraffic(scenario: string, options: SliceOptions, search: OverviewSearch): Traffic {
  return {
    scenario,
    // Where nothing is left of a scenario there is no option; the usual value then names what is missing.
    mode: chosen(options.modes, search.mode, USUAL.mode) ?? USUAL.mode,
    placement: chosen(options.placements, search.placement, USUAL.placement) ?? USUAL.placement,
    bytes: chosen(options.sizes, search.bytes, USUAL.bytes) ?? USUAL.bytes,
  };
}

export function chosenSlice(series: SeriesSummary[], traffic: Traffic, asked: string | undefined): Slice {
  const all = parameterOptions(series, traffic);
  const parameters = all.find((candidate) => parametersKey(candidate) === (asked ?? ""));
  return { ...traffic, parameters: parameters ?? all[0] ?? USUAL_PARAMETERS };
}

/** The parameters that were measured with all else of a slice: those that set none first. */
export function parameterOptions(series: SeriesSummary[], slice: Traffic): Parameters[] {
  const alike = series.flatMap((entry) => (isAlike(entry.case, slice) ? [parametersOf(entry.case)] : []));
  return [...new Map(alike.map((parameters) => [parametersKey(parameters), parameters])).values()].sort(
    byParameters,
  );
}

export function caseOf({ scenario, bytes, parameters }: Slice): Named {
  return { scenario, message_bytes: bytes, ...parameters };
}

/**
 * The series of a slice: of several with different methodologies, the one measured last; of several in one run, one
 * with the fewest messages in flight, and that lost nothing. A probe takes part in the figures, so probed series are a list of their own.
 */
export function seriesOfSlice(series: SeriesSummary[], slice: Slice, isProbed = false): SeriesSummary[] {
  const newest = new Map<string, SeriesSummary>();
  for (const candidate of series) {
    if (!isOfSlice(candidate.case, slice) || (candidate.methodology.probe != null) !== isProbed) continue;
    const key = `${candidate.machine} ${candidate.transport.slug}`;
    const rival = newest.get(key);
    if (rival === undefined || isPreferred(candidate, rival)) newest.set(key, candidate);
  }
  return [...newest.values()];
}

export function isOfSlice(candidate: Case, slice: Slice): boolean {
  const isWith = parametersKey(parametersOf(candidate)) === parametersKey(slice.parameters);
  return isWith && isAlike(candidate, slice);
}

function isAlike(candidate: Case, slice: Traffic): boolean {
  return (
    candidate.scenario === slice.scenario &&
    candidate.mode === slice.mode &&
    candidate.placement === slice.placement &&
    candidate.message_bytes === slice.bytes
  );
}

function isPreferred(candidate: SeriesSummary, rival: SeriesSummary): boolean {
  const newer = ascending(measuredAt(candidate), measuredAt(rival));
  const fewer = ascending(rival.methodology.window, candidate.methodology.window);
  const loses = rival.latest?.lossy === true && candidate.latest?.lossy === false;
  return newer > 0 || (newer === 0 && (fewer > 0 || (fewer === 0 && loses)));
}

function measuredAt(series: SeriesSummary): string {
  return series.latest?.measured_at ?? "";
}
