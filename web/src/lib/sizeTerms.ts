/** What a search says of message sizes: `64k`, `>=64k`, `64k..1m`. Units are binary. Pure. */

const COMPARATORS = [">=", "<=", ">", "<"] as const;
type Comparator = (typeof COMPARATORS)[number];

/** One size, all of one side of a size, or all from one to another; in bytes, ends included. */
export type SizeTerm =
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

/** What is expected where a size is not understood. */
export const EXPECTED_SIZE =
  "a size such as 64, 64k or 1MiB, with >=, >, <= or < before it, or two of them as 64k..1m";

/** The term that a text is, or what was expected in its place. */
export function parseSizeTerm(text: string): SizeTerm | { expected: string } {
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
  return from > to ? { expected: "the smaller size before the larger one" } : { kind: "range", from, to };
}

/** The shortest text that means the term. */
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

/** Whether a message of so many bytes is meant. */
export function isOfSize(bytes: number, term: SizeTerm): boolean {
  switch (term.kind) {
    case "exact":
      return bytes === term.bytes;
    case "range":
      return term.from <= bytes && bytes <= term.to;
    case "compared":
      return compared(bytes, term);
  }
}

function compared(bytes: number, term: Extract<SizeTerm, { kind: "compared" }>): boolean {
  switch (term.comparator) {
    case ">=":
      return bytes >= term.bytes;
    case "<=":
      return bytes <= term.bytes;
    case ">":
      return bytes > term.bytes;
    case "<":
      return bytes < term.bytes;
  }
}

/** A whole number of bytes; `null` where the text is none. */
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
