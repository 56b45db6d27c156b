/**
 * The search grammar: `transport:pipe,fifo size:>=64k os:linux p99`. A key matches any of its values, words match the parts
 * of a series' name, and a percentile selects the figure. A text parses to a query or to an error with position and
 * expectation. A query can be written as text. Pure.
 */

import { percentileName } from "./statistics";

/** The figures that a search can select, by their API names. */
export const FIGURES = ["p50", "p90", "p98", "p99", "p999"] as const;
export type Figure = (typeof FIGURES)[number];

export const NAME_KEYS = ["transport", "machine", "scenario", "mode", "placement", "os"] as const;
export type NameKey = (typeof NAME_KEYS)[number];

const KEYS = [...NAME_KEYS, "size", "peers"] as const;
export type Key = (typeof KEYS)[number];

/** A parsed search. An empty list does not restrict. */
export type Query = Record<NameKey, string[]> & {
  words: string[];
  size: SizeTerm[][];
  peers: number[];
  figure: Figure | undefined;
};

/** A syntax error at the characters from `from` to `to`, counted from 0. */
type QueryError = { from: number; to: number; message: string };

export type Parsed = { kind: "query"; query: Query } | { kind: "error"; error: QueryError };

export const EVERYTHING: Query = {
  transport: [],
  machine: [],
  scenario: [],
  mode: [],
  placement: [],
  os: [],
  words: [],
  size: [],
  peers: [],
  figure: undefined,
};

/** The limits of the server. */
const WORDS_MAX = 16;
const WORDS_LENGTH_MAX = 200;

export function parseQuery(text: string): Parsed {
  const query: Query = { ...EVERYTHING };
  for (const token of tokensOf(text)) {
    const error = read(token, query);
    if (error !== null) return { kind: "error", error };
  }
  if (query.words.length > WORDS_MAX || query.words.join(" ").length > WORDS_LENGTH_MAX) {
    const message = `expected at most ${WORDS_MAX} words and ${WORDS_LENGTH_MAX} characters`;
    return { kind: "error", error: { from: 0, to: text.length, message } };
  }
  return { kind: "query", query };
}

/** The text of a query: keys in a fixed order, then words, then the figure. It parses to the same query. */
export function textOf(query: Query): string {
  return [
    ...NAME_KEYS.filter((key) => query[key].length > 0).map((key) => `${key}:${query[key].join(",")}`),
    ...query.size.map((terms) => `size:${terms.map(textOfSizeTerm).join(",")}`),
    ...(query.peers.length > 0 ? [`peers:${query.peers.join(",")}`] : []),
    ...query.words.map(textOfWord),
    ...(query.figure === undefined ? [] : [percentileName(query.figure)]),
  ].join(" ");
}

export function errorText({ from, message }: QueryError): string {
  return `At character ${from + 1}: ${message}.`;
}

type Token = { from: number; text: string };

function tokensOf(text: string): Token[] {
  // A quote extends over spaces to the next one, or to the end.
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)].map(({ index, 0: token }) => ({
    from: index,
    text: token,
  }));
}

function read({ from, text }: Token, query: Query): QueryError | null {
  const wrong = (message: string, at = 0, length = text.length - at): QueryError => ({
    from: from + at,
    to: from + at + length,
    message,
  });
  if (text.includes('"')) {
    const [, word] = /^"([^"]+)"$/.exec(text) ?? [];
    if (word === undefined) return wrong('expected quotes around words, such as "two words"');
    query.words = [...query.words, word];
    return null;
  }
  const colon = text.indexOf(":");
  if (colon === -1) return readBare(text, query, wrong);
  const name = text.slice(0, colon).toLowerCase();
  const key = KEYS.find((candidate) => candidate === name);
  if (key === undefined) {
    const expected = `expected one of ${KEYS.map((known) => `${known}:`).join(", ")}`;
    return wrong(`${expected}; quote words that contain a colon`, 0, colon + 1);
  }
  if (key !== "size" && query[key].length > 0) {
    return wrong(`${key}: is repeated; separate values with commas`);
  }
  return readValues(key, { from: colon + 1, text: text.slice(colon + 1) }, query, wrong);
}

type Wrong = (message: string, at?: number, length?: number) => QueryError;

function readBare(text: string, query: Query, wrong: Wrong): QueryError | null {
  const figure = figureOf(text);
  // The server would ignore it.
  if (!/[\p{L}\p{N}]/u.test(text)) return wrong("expected a word with a letter or a digit");
  if (figure === undefined) query.words = [...query.words, text];
  else if (query.figure !== undefined && query.figure !== figure) {
    return wrong(`expected one percentile; ${percentileName(query.figure)} is already set`);
  } else query.figure = figure;
  return null;
}

function readValues(key: Key, values: Token, query: Query, wrong: Wrong): QueryError | null {
  const sizes: SizeTerm[] = [];
  let at = values.from;
  for (const value of values.text.split(",")) {
    if (key === "size") {
      const term = parseSizeTerm(value);
      if ("expected" in term) return wrong(`expected ${term.expected}`, at, value.length);
      sizes.push(term);
    } else if (key === "peers") {
      const peers = /^\d{1,9}$/.test(value) ? Number(value) : 0;
      if (peers === 0) return wrong("expected a number of receivers, such as peers:2,4", at, value.length);
      if (!query.peers.includes(peers)) query.peers = [...query.peers, peers];
    } else {
      const name = value.toLowerCase();
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
        return wrong(`expected ${EXAMPLES[key]}`, at, value.length);
      }
      if (!query[key].includes(name)) query[key] = [...query[key], name];
    }
    at += value.length + 1;
  }
  if (key === "size") query.size = [...query.size, sizes];
  return null;
}

const EXPECTED_SIZE = "a size (64k, 1MiB), a comparison (>=64k) or a range (64k..1m)";

const EXAMPLES: Record<Key, string> = {
  transport: "a transport name, such as transport:pipe,unix-stream",
  machine: "a machine name, such as machine:lab-1",
  scenario: "a scenario name, such as scenario:roundtrip",
  mode: "mode:2proc or mode:2thread",
  placement: "placement:same-cpu, placement:cross-cpu or placement:free",
  os: "an operating system, such as os:linux",
  size: EXPECTED_SIZE,
  peers: "a number of receivers, such as peers:1",
};

function figureOf(text: string): Figure | undefined {
  const name = text.toLowerCase();
  return FIGURES.find((figure) => figure === name || percentileName(figure) === name);
}

/** Quotes words that would otherwise parse differently. */
function textOfWord(word: string): string {
  return /[\s:]/.test(word) || figureOf(word) !== undefined ? `"${word}"` : word;
}

const COMPARISONS = {
  ">=": (a: number, b: number) => a >= b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  "<": (a: number, b: number) => a < b,
};
const COMPARATORS = Object.keys(COMPARISONS) as Comparator[];
type Comparator = keyof typeof COMPARISONS;

/** A size, a comparison with a size, or an inclusive range, in bytes. */
type SizeTerm =
  | { kind: "exact"; bytes: number }
  | { kind: "compared"; comparator: Comparator; bytes: number }
  | { kind: "range"; from: number; to: number };

const KIB = 1024;
const MIB = 1024 * KIB;

const UNITS: Record<string, number> = {
  "": 1,
  b: 1,
  k: KIB,
  kib: KIB,
  m: MIB,
  mib: MIB,
};

function parseSizeTerm(text: string): SizeTerm | { expected: string } {
  const comparator = COMPARATORS.find((candidate) => text.startsWith(candidate));
  if (comparator !== undefined) {
    const bytes = bytesOf(text.slice(comparator.length));
    return bytes === null ? { expected: EXPECTED_SIZE } : { kind: "compared", comparator, bytes };
  }
  const [first = "", second, ...more] = text.split("..");
  const from = bytesOf(first);
  if (from === null || more.length > 0) return { expected: EXPECTED_SIZE };
  if (second === undefined) return { kind: "exact", bytes: from };
  const to = bytesOf(second);
  if (to === null) return { expected: EXPECTED_SIZE };
  return from > to ? { expected: "the smaller size first" } : { kind: "range", from, to };
}

export function textOfSizeTerm(term: SizeTerm): string {
  switch (term.kind) {
    case "exact":
      return textOfBytes(term.bytes);
    case "compared":
      return `${term.comparator}${textOfBytes(term.bytes)}`;
    case "range":
      return `${textOfBytes(term.from)}..${textOfBytes(term.to)}`;
  }
}

export function isOfSize(bytes: number, term: SizeTerm): boolean {
  switch (term.kind) {
    case "exact":
      return bytes === term.bytes;
    case "range":
      return term.from <= bytes && bytes <= term.to;
    case "compared":
      return COMPARISONS[term.comparator](bytes, term.bytes);
  }
}

/** A whole number of bytes; `null` for an invalid text. */
function bytesOf(text: string): number | null {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(text.toLowerCase()) ?? [];
  const size = UNITS[unit];
  if (amount === undefined || size === undefined) return null;
  const bytes = Number(amount) * size;
  return Number.isSafeInteger(bytes) ? bytes : null;
}

function textOfBytes(bytes: number): string {
  if (bytes > 0 && bytes % MIB === 0) return `${bytes / MIB}m`;
  return bytes > 0 && bytes % KIB === 0 ? `${bytes / KIB}k` : String(bytes);
}
