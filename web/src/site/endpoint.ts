/**
 * The types of computed answers: functions from the parameters of a request to the response. They use the generated
 * types, so that `tsc` finds outdated answers.
 */
import type { Answer, QueryOf, Reads } from "@/api/client";
import type { paths } from "@/api/schema.gen";
import type { Problem } from "@/api/types";

type Text<Parameters> = { [Name in keyof Parameters]: string };

type Asked<Path extends Reads> = {
  path: paths[Path]["get"]["parameters"] extends { path: infer Parameters } ? Text<Parameters> : unknown;
  query: Partial<Text<QueryOf<Path>>>;
};

/** Answers by path. Other reads are files. */
export type Answers = { [Path in Reads]?: (asked: Asked<Path>) => Promise<Answer<Path>> };

/** An error response, as a problem document. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** The response of a refusal. `more`: other members of the problem document. */
export function problemOf(
  { status, code, title, message: detail }: Refusal,
  more: Partial<Problem> = {},
): Response {
  const body: Problem = { type: `/problems/${code}`, code, title, status, detail, ...more };
  return Response.json(body, { status, headers: { "content-type": "application/problem+json" } });
}

/** How to get what a site does not have. */
export const IMPORT = "For all data, import the site into a server: `roundtrip-server import-site`.";

/** An error for data that the site lacks. `detail`: what it has, and what to do. */
export function missing(code: string, detail: string): Refusal {
  return new Refusal(404, code, "Not in this site", detail);
}

export function unknownSeries(id: number): Refusal {
  return missing("unknown-series", `This site has no series ${id}.`);
}

/** A parameter is invalid. */
export function invalid(name: string, detail: string): Refusal {
  return new Refusal(400, "invalid-parameter", "Invalid parameter", `parameter ${name}: ${detail}`);
}

/** The default and the maximum number of entries in an answer, as on the server. */
const LIMIT = 100;
const LIMIT_MAX = 1000;

/** A page of a list under its name, and the cursor of the next: here an index. */
export function listed<Name extends string, Entry>(
  name: Name,
  entries: readonly Entry[],
  { limit, after }: { limit?: string; after?: string },
) {
  const begin = numberIn("after", after, 0);
  const end = begin + Math.min(LIMIT_MAX, numberIn("limit", limit, LIMIT));
  const next_after = end < entries.length ? String(end) : null;
  return { [name]: entries.slice(begin, end), next_after } as Record<Name, Entry[]> & {
    next_after: string | null;
  };
}

/**
 * A whole number in a query.
 *
 * @throws Refusal for other text.
 */
export function numberIn(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d+$/.test(text)) throw invalid(name, `\`${text}\` is not a whole number`);
  return Number(text);
}

/** The values of a list with commas; `undefined` without the parameter. */
export function valuesIn(text: string | undefined): string[] | undefined {
  return text?.split(",").filter((value) => value !== "");
}

/** The most series in a request, as on the server. */
const SERIES_MAX = 200;

/**
 * Series numbers in a query: each once, in the given order.
 *
 * @throws Refusal for other text, and for too many.
 */
export function seriesIn(text = ""): number[] {
  const ids = [...new Set(text.split(",").map((part) => numberIn("series", part, 0)))];
  if (ids.length > SERIES_MAX)
    throw invalid("series", `${ids.length} series: expected at most ${SERIES_MAX}`);
  return ids;
}
