/** The words of a search, and the words by which series are found, with the rules of the server. Pure. */
import type { SeriesSummary } from "@/api/types";
import { invalid } from "./endpoint";

const CHARACTERS_MAX = 200;
const WORDS_MAX = 16;
/** Words are compared up to this many characters. */
const WORD_CHARACTERS_MAX = 64;

const UNITS: Record<string, string> = {
  b: "",
  k: "kib",
  kb: "kib",
  kib: "kib",
  m: "mib",
  mb: "mib",
  mib: "mib",
  g: "gib",
  gb: "gib",
  gib: "gib",
};

/**
 * The words in lower case and without punctuation around them. The usual spellings of a size become one word: `64kib`.
 *
 * @throws Refusal if there are too many.
 */
export function wordsOf(text: string): string[] {
  if ([...text].length > CHARACTERS_MAX) throw invalid("q", `expected at most ${CHARACTERS_MAX} characters`);
  const words: string[] = [];
  for (const part of text.toLowerCase().split(/[\s\p{Cc}]+/u)) {
    const word = part.replace(/^[^\p{Alphabetic}\p{N}]+|[^\p{Alphabetic}\p{N}]+$/gu, "");
    if (word === "") continue;
    // `64 KiB`: the number was a word of its own.
    const number = words.at(-1) ?? "";
    const isSize = isNumber(number) && sizeOf(`${number}${word}`) !== null;
    if (isSize) words.pop();
    const whole = isSize ? `${number}${word}` : word;
    words.push(sizeOf(whole) ?? cut(whole));
  }
  if (words.length > WORDS_MAX) throw invalid("q", `expected at most ${WORDS_MAX} words`);
  return words;
}

function cut(text: string): string {
  return [...text].slice(0, WORD_CHARACTERS_MAX).join("");
}

/** Numbers match exactly, other words as prefixes. */
function isNumber(word: string): boolean {
  return /^[0-9]+$/.test(word);
}

function sizeOf(word: string): string | null {
  const [, number, unit = ""] = /^([0-9]+)([a-z]+)$/.exec(word) ?? [];
  const name = UNITS[unit];
  return number === undefined || name === undefined ? null : `${number}${name}`;
}

/** Whether a series has all words. */
export function hasWords(series: SeriesSummary, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const terms = termsOf(series);
  const all = [...terms];
  const { title, family } = series.transport;
  return words.every((word) =>
    isNumber(word)
      ? terms.has(word)
      : all.some((term) => term.startsWith(word)) || [title, family].some((text) => begins(text, word)),
  );
}

/** Whether words of a commit's message begin with all words, or its SHA with the only one. */
export function hasCommitWords(
  { sha, subject }: { sha: string; subject: string },
  words: readonly string[],
): boolean {
  const [only, ...others] = words;
  if (only !== undefined && others.length === 0 && sha.startsWith(only)) return true;
  const own = partsOf(subject.toLowerCase());
  return words.flatMap(partsOf).every((part) => own.some((word) => word.startsWith(part)));
}

function partsOf(text: string): string[] {
  return text.split(/[^\p{Alphabetic}\p{N}]+/u).filter((part) => part !== "");
}

/** Whether a word of the text starts with `word`. */
function begins(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  return beginnings(lower).some((place) => lower.startsWith(word, place));
}

/** The places at which words begin. */
function beginnings(text: string): number[] {
  return [...text.matchAll(/(?<![\p{Alphabetic}\p{N}])[\p{Alphabetic}\p{N}]/gu)].map(({ index }) => index);
}

const KIB = 1024;
const known = new WeakMap<SeriesSummary, Set<string>>();

/** The terms by which a series is found: its names from the beginning of each word, and its sizes. */
function termsOf(series: SeriesSummary): Set<string> {
  const terms = known.get(series) ?? foundBy(series);
  known.set(series, terms);
  return terms;
}

function foundBy({ machine, transport, case: kase }: SeriesSummary): Set<string> {
  const { scenario, mode, placement, size_profile, variant, benchmark, measure } = kase;
  const names = [
    machine,
    scenario,
    transport.slug,
    mode,
    placement,
    size_profile,
    variant,
    benchmark,
    measure?.name,
  ]
    .filter((name) => name != null)
    .map((name) => name.toLowerCase());
  const sizes = [kase.message_bytes, kase.total_bytes, kase.buffer_bytes].filter((bytes) => bytes != null);
  return new Set([
    ...names.flatMap((name) => beginnings(name).map((place) => cut(name.slice(place)))),
    ...names.flatMap((name) => partsOf(name).map(cut)),
    ...sizes.map(String),
    ...sizes.flatMap((bytes) =>
      ["kib", "mib", "gib"].flatMap((unit, index) => {
        const each = KIB ** (index + 1);
        return bytes > 0 && bytes % each === 0 ? `${bytes / each}${unit}` : [];
      }),
    ),
  ]);
}
