import { expect, it } from "vitest";
import { numbersOf } from "@/lib/statistics";
import { at, cutColumn, cutEnvironments, cutMarks, drawnPlaces, encoded, newest, placesIn } from "./columns";

/** Repeatable numbers from 0 to less than `below`. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** Columns of random length with some selected places, ascending. */
function cases() {
  return Array.from({ length: 50 }, (_, seed) => {
    const next = random(seed + 1);
    const values = Array.from({ length: next(40) }, () => next(2000) - 1000);
    return { next, values, places: values.flatMap((_, place) => (next(3) === 0 ? [place] : [])) };
  });
}

it("encodes what decodes to the same column", () => {
  for (const { values } of cases()) expect(numbersOf(encoded(values))).toEqual(values);
  expect(encoded([1000, null, 1002, 999])).toEqual([1000, null, 2, -3]);
});

it("cuts columns as if they were not encoded", () => {
  for (const { next, values, places } of cases()) {
    expect(numbersOf(cutColumn(encoded(values), places))).toEqual(at(values, places));
    const gaps = values.map((value) => (next(4) === 0 ? null : value));
    expect(numbersOf(cutColumn(encoded(gaps), places))).toEqual(at(gaps, places));
  }
});

it("moves marks with their points", () => {
  for (const { next, values, places } of cases()) {
    const isMarked = values.map(() => next(3) === 0);
    const marks = isMarked.flatMap((marked, place) => (marked ? [place] : []));
    const kept = at(isMarked, places);
    const expected = kept.flatMap((marked, index) => (marked ? [index] : []));
    expect(cutMarks(marks, places)).toEqual(expected);
  }
});

it("keeps the environment of every point, and where each begins", () => {
  for (const { next, values, places } of cases()) {
    const ids = values.map(() => next(3));
    const begins = ids.flatMap((environment_id, index) =>
      ids[index - 1] === environment_id ? [] : [{ index, environment_id }],
    );
    const cut = cutEnvironments(begins, ids.length, places);
    const of = (place: number) => cut.findLast(({ index }) => index <= place)?.environment_id;
    expect(places.map((_, place) => of(place))).toEqual(at(ids, places));
    expect(cut.every(({ environment_id }, place) => environment_id !== cut[place - 1]?.environment_id)).toBe(
      true,
    );
  }
});

it("selects the newest points of a range", () => {
  const ordinals = [1, 1, 2, 4, 4, 7];
  const last = 10;
  expect(placesIn(ordinals, { from: 1, to: 4, last })).toEqual([0, 1, 2, 3, 4]);
  expect(placesIn(ordinals, { from: 2, to: 4, last: 2 })).toEqual([3, 4]);
  expect(placesIn(ordinals, { from: 5, to: 6, last })).toEqual([]);
  expect(placesIn(ordinals, { from: 0, to: 9, last: 0 })).toEqual([]);
});

it("returns the last values, and none for a count of 0", () => {
  expect([0, 2, 9].map((count) => newest([1, 2, 3], count))).toEqual([[], [2, 3], [1, 2, 3]]);
});

it("thins lines to the ends and extremes of every stretch", () => {
  const next = random(7);
  const [one, other] = [0, 1].map(() => Array.from({ length: 1000 }, () => next(100)));
  const figures = [one ?? [], other ?? []];
  const places = drawnPlaces(figures, 60);
  expect(places.length).toBeLessThanOrEqual(60);
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
  for (let from = 0; from < 1000; from += 100) {
    const own = places.filter((place) => place >= from && place < from + 100);
    expect([own[0], own.at(-1)]).toEqual([from, from + 99]);
    for (const figure of figures) {
      const all = figure.slice(from, from + 100);
      const drawn = at(figure, own);
      expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([Math.min(...all), Math.max(...all)]);
    }
  }
  expect(drawnPlaces([[5, 5, 5]], 3)).toEqual([0, 1, 2]);
});
