import { expect, it } from "vitest";
import { EVERYTHING, errorText, parseQuery, type Query, textOf } from "./query";

function queryOf(text: string): Query {
  const parsed = parseQuery(text);
  if (parsed.kind === "error") throw new Error(errorText(parsed.error));
  return parsed.query;
}

function errorOf(text: string) {
  const parsed = parseQuery(text);
  if (parsed.kind === "query") throw new Error(`No error: ${JSON.stringify(parsed.query)}`);
  return parsed.error;
}

it("reads keys, alternatives, sizes, words and the figure", () => {
  expect(queryOf("transport:pipe,unix-stream size:>=64k os:linux p99 ring")).toEqual({
    ...EVERYTHING,
    transport: ["pipe", "unix-stream"],
    os: ["linux"],
    size: [[{ kind: "compared", comparator: ">=", bytes: 65_536 }]],
    words: ["ring"],
    figure: "p99",
  });
  expect(queryOf("  ")).toEqual(EVERYTHING);
});

it("reads keys and names in any case, and p99.9 as the API calls it", () => {
  expect(queryOf("Transport:PIPE P99.9")).toEqual({ ...EVERYTHING, transport: ["pipe"], figure: "p999" });
});

it.each([
  ["size:64", { kind: "exact", bytes: 64 }],
  ["size:64B", { kind: "exact", bytes: 64 }],
  ["size:1.5k", { kind: "exact", bytes: 1536 }],
  ["size:64KiB", { kind: "exact", bytes: 65_536 }],
  ["size:1MiB", { kind: "exact", bytes: 1_048_576 }],
  ["size:<1m", { kind: "compared", comparator: "<", bytes: 1_048_576 }],
  ["size:64k..1m", { kind: "range", from: 65_536, to: 1_048_576 }],
])("reads %s", (text, term) => {
  expect(queryOf(text).size).toEqual([[term]]);
});

it("combines size terms with and, comma-separated values with or", () => {
  expect(queryOf("size:>=64 size:<4k,1m").size).toEqual([
    [{ kind: "compared", comparator: ">=", bytes: 64 }],
    [
      { kind: "compared", comparator: "<", bytes: 4096 },
      { kind: "exact", bytes: 1_048_576 },
    ],
  ]);
});

it.each([
  ["pipe colour:red", 5, 12, /expected one of transport:, .*, peers:/],
  ["size:64q", 5, 8, /expected a size \(/],
  ["size:64,>=", 8, 10, /expected a size \(/],
  ["size:1m..64k", 5, 12, /the smaller size first/],
  ["size:0.3k", 5, 9, /expected a size/],
  ["transport:", 10, 10, /transport name/],
  ["transport:pipe,,fifo", 15, 15, /transport name/],
  ["os:linux os:macos", 9, 17, /with commas/],
  ["peers:two", 6, 9, /number of receivers/],
  ["peers:0", 6, 7, /number of receivers/],
  ["p50 p99", 4, 7, /expected one percentile; p50 is already set/],
  ['ring "half', 5, 10, /quote/],
  ["pipe -", 5, 6, /a letter or a digit/],
])("reports for %s the position and what was expected", (text, from, to, message) => {
  const error = errorOf(text);
  expect([error.from, error.to]).toEqual([from, to]);
  expect(error.message).toMatch(message);
});

it("names the character", () => {
  expect(errorText(errorOf("pipe colour:red"))).toMatch(/^At character 6: expected one of .*\.$/);
});

it("rejects more words than the server accepts", () => {
  expect(errorOf("a ".repeat(17)).message).toMatch(/at most 16 words/);
});

it.each([
  "transport:pipe,fifo machine:lab-1 scenario:roundtrip mode:2proc placement:free os:linux size:64,4k..1m size:<=2m peers:1,2 ring p99.9",
  "size:>1025",
  '"BM_Pipe:64" "p99" "two words"',
  "",
])("round-trips %s", (text) => {
  expect(textOf(queryOf(text))).toBe(text);
});

it("round-trips any size", () => {
  for (const bytes of [0, 1, 1023, 1024, 1536, 5000, 1_048_576, 3_145_728]) {
    const query: Query = { ...EVERYTHING, size: [[{ kind: "exact", bytes }]] };
    expect(queryOf(textOf(query))).toEqual(query);
  }
});
