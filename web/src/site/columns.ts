/** Parts of columns: of differences, of marks and of environments; and the points to draw. Pure. */
import type { EnvironmentBegins } from "@/api/types";
import { environmentsOf, numbersOf } from "@/lib/statistics";

/** Differences of each value to the last known one before it; the first one as it is. */
export function encoded<T extends number | null>(values: readonly T[]): T[] {
  let before = 0;
  return values.map((value) => {
    if (value === null) return value;
    const delta = value - before;
    before = value;
    return delta as T;
  });
}

/** The values at some places. */
export function at<Value>(values: readonly Value[], places: readonly number[]): Value[] {
  return places.flatMap((place) => (place < values.length ? [values[place] as Value] : []));
}

/** An encoded column at some places. */
export function cutColumn<T extends number | null>(deltas: readonly T[], places: readonly number[]): T[] {
  return encoded(at(numbersOf(deltas), places));
}

/** Marked indexes after a cut. */
export function cutMarks(marks: readonly number[], places: readonly number[]): number[] {
  const marked = new Set(marks);
  return places.flatMap((place, index) => (marked.has(place) ? [index] : []));
}

/** The environments after a cut: where each begins. `count`: the number of points before it. */
export function cutEnvironments(
  environments: readonly EnvironmentBegins[],
  count: number,
  places: readonly number[],
): EnvironmentBegins[] {
  const ids = at(environmentsOf(environments, count), places);
  return ids.flatMap((environment_id, index) =>
    environment_id === ids[index - 1] ? [] : [{ index, environment_id }],
  );
}

/** Commits from and up to an ordinal, and of these the newest points. */
export type Range = { from: number; to: number; last: number };

/** The places of a range in a column of ordinals, ascending. */
export function placesIn(ordinals: readonly number[], { from, to, last }: Range): number[] {
  const within = ordinals.flatMap((ordinal, place) => (ordinal >= from && ordinal <= to ? [place] : []));
  return newest(within, last);
}

/** The last values, at most `count`. */
export function newest<Value>(values: readonly Value[], count: number): Value[] {
  return values.slice(Math.max(0, values.length - count));
}

/**
 * The places to draw if a chart cannot show all, ascending: the ends and the extremes of each figure in stretches of
 * equal length, as on the server.
 */
export function drawnPlaces(figures: readonly (readonly number[])[], countMax: number): number[] {
  const count = figures[0]?.length ?? 0;
  if (count <= countMax) return Array.from({ length: count }, (_, place) => place);
  const ofStretch = 2 + 2 * figures.length;
  const stretches = Math.max(1, Math.floor(countMax / ofStretch));
  const places: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * count) / stretches);
    const to = Math.floor(((stretch + 1) * count) / stretches);
    const own = [from, to - 1, ...figures.flatMap((figure) => extremesOf(figure, from, to))];
    places.push(...own.slice(0, countMax).sort((a, b) => a - b));
  }
  return places.filter((place, index) => place !== places[index - 1]);
}

/** The places of the last maximum and the first minimum. */
function extremesOf(figure: readonly number[], from: number, to: number): [number, number] {
  const value = (place: number) => figure[place] ?? 0;
  let [most, least] = [from, from];
  for (let place = from; place < to; place++) {
    if (value(place) >= value(most)) most = place;
    if (value(place) < value(least)) least = place;
  }
  return [most, least];
}
