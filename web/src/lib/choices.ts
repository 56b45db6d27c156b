/** Resolves the choices of a page: from the address if available, else defaults. Pure. */
import type { SeriesFacets } from "@/api/types";
import { ascending } from "./collections";

/** Choices in the address; missing ones take defaults. */
export type Asked = {
  machine?: string | undefined;
  scenario?: string | undefined;
  mode?: string | undefined;
  placement?: string | undefined;
};

type Facet = SeriesFacets["machine"];

/** The scenario of imported benchmarks, which have no sizes, ends or placement. */
export const IMPORTED = "benchmark";
const PLACEMENT_ORDER = ["same-cpu", "cross-cpu", "free"];

/** The values of a facet by name; those in `order` first. */
export function valuesOf(facet: Facet, order: string[] = []): string[] {
  const rank = (value: string) => (order.includes(value) ? order.indexOf(value) : order.length);
  return facet.map(({ value }) => value).sort((a, b) => ascending(rank(a), rank(b)) || ascending(a, b));
}

/** The placements of a facet, in a fixed order. */
export function placementsOf(facet: Facet): string[] {
  return valuesOf(facet, PLACEMENT_ORDER);
}

/** The scenarios of a facet, without imports. */
export function scenariosOf(facet: Facet): string[] {
  return valuesOf(facet, ["roundtrip"]).filter((scenario) => scenario !== IMPORTED);
}

/** The value with the most series. */
export function mostMeasured(facet: Facet): string | undefined {
  return facet.reduce<Facet[number] | undefined>(
    (most, entry) => (most === undefined || entry.series_count > most.series_count ? entry : most),
    undefined,
  )?.value;
}

/** The first available preference, else the first option. */
export function chosen<T>(options: readonly T[], ...wanted: (T | undefined)[]): T | undefined {
  return wanted.find((value) => value !== undefined && options.includes(value)) ?? options[0];
}
