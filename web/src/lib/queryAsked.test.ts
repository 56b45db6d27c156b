import { expect, it } from "vitest";
import type { SeriesFacets } from "@/api/types";
import { parseQuery, type Query, textOf } from "./query";
import { askedOf } from "./queryAsked";

const names = (...values: string[]) => values.map((value) => ({ value, series_count: 1 }));
const numbers = (...values: number[]) => values.map((value) => ({ value, series_count: 1 }));

const FACETS: SeriesFacets = {
  series_count: 8,
  machine: names("lab-1", "lab-2", "mac-1"),
  transport: names("fifo", "pipe"),
  scenario: names("roundtrip"),
  mode: names("2proc"),
  placement: names("same-cpu"),
  message_bytes: numbers(64, 4096, 65_536),
  peers: numbers(1, 2),
};
const MACHINES = [
  { machine: "lab-1", os: "linux" },
  { machine: "lab-2", os: "linux" },
  { machine: "mac-1", os: "macos" },
];
const KNOWN = { facets: FACETS, machines: MACHINES };

function queryOf(text: string): Query {
  const parsed = parseQuery(text);
  if (parsed.kind === "error") throw new Error(parsed.error.message);
  return parsed.query;
}

const asked = (text: string) => askedOf(queryOf(text), KNOWN);

it("resolves comparisons to sizes and systems to machines", () => {
  expect(asked("transport:pipe size:>=4k os:linux p99 ring 64")).toEqual({
    kind: "asked",
    asked: { q: "ring 64", transport: "pipe", message_bytes: "4096,65536", machine: "lab-1,lab-2" },
    notes: [],
  });
});

it("omits a facet that matches everything", () => {
  expect(asked("size:>=1 os:linux,macos")).toEqual({ kind: "asked", asked: {}, notes: [] });
});

it("combines machine and system", () => {
  expect(asked("os:linux machine:lab-2,mac-1")).toMatchObject({ asked: { machine: "lab-2" } });
  expect(asked("os:linux machine:mac-1")).toMatchObject({
    kind: "nothing",
    because: "No match: mac-1 with os:linux.",
  });
});

it.each([
  ["size:>1m p99", "No series has size:>1m. Available: 64 B, 4 KiB, 64 KiB.", "p99"],
  ["size:>64 size:<4k", "No series has size:>64 size:<4k. Available: 64 B, 4 KiB, 64 KiB.", ""],
  ["transport:ring fast", "No series has transport:ring. Available: fifo, pipe.", "fast"],
  ["os:freebsd", "No series has os:freebsd. Available: linux, macos.", ""],
  ["machine:lab-9", "No series has machine:lab-9. Available: lab-1, lab-2, mac-1.", ""],
  ["peers:4", "No series has 4 receivers. Available: 1 receiver, 2 receivers.", ""],
])("explains why %s matches nothing", (text, because, without) => {
  const answer = asked(text);
  expect(answer).toMatchObject({ kind: "nothing", because });
  expect(answer.kind === "nothing" && textOf(answer.without)).toBe(without);
});

it("requests known values and reports unknown ones", () => {
  expect(asked("transport:pipe,ring peers:1,9")).toEqual({
    kind: "asked",
    asked: { transport: "pipe", peers: "1" },
    notes: [
      "No series has transport:ring. Available: fifo, pipe",
      "No series has 9 receivers. Available: 1 receiver, 2 receivers",
    ],
  });
});

it("rejects more values than the server accepts", () => {
  const sizes = Array.from({ length: 150 }, (_, index) => index + 1);
  const known = { ...KNOWN, facets: { ...FACETS, message_bytes: numbers(...sizes) } };
  expect(askedOf(queryOf("size:<=120"), known)).toMatchObject({ because: /^120 sizes match/ });
  expect(askedOf(queryOf("size:<=100"), known)).toMatchObject({ kind: "asked" });
});
