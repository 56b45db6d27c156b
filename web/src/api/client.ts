/** The typed client: paths, parameters and answers are checked against the generated schema, and refusals are thrown. */
import { queryOptions } from "@tanstack/react-query";
import createClient from "openapi-fetch";
import type { PathsWithMethod, RequiredKeysOf, SuccessResponse } from "openapi-typescript-helpers";
import { errorOfResponse, errorOfSilence } from "./errors";
import type { paths } from "./schema.gen";

type Reads = PathsWithMethod<paths, "get">;
type Parameters<Path extends Reads> = Omit<paths[Path]["get"]["parameters"], "header" | "cookie">;
type Answer<Path extends Reads> = SuccessResponse<paths[Path]["get"]["responses"], "application/json">;

/** What can be asked of a read besides its path's parameters. */
export type QueryOf<Path extends Reads> = NonNullable<paths[Path]["get"]["parameters"]["query"]>;

/** Requests go to the origin that served the page, and say that one of its pages sent them. */
export const client = createClient<paths, "application/json">({
  baseUrl: globalThis.location?.origin ?? "",
  headers: { "x-roundtrip-csrf": "1" },
  // The one of now: tests put another in its place.
  fetch: (request) => fetch(request),
});

client.use({
  onResponse: async ({ response }) => {
    if (!response.ok) throw errorOfResponse(response, await response.json().catch(() => null));
  },
  // A request that the page itself gave up is not the server's silence.
  onError: ({ error }) =>
    error instanceof DOMException && error.name === "AbortError" ? error : errorOfSilence(),
});

/**
 * The data of an answer; nothing where the answer has no body.
 *
 * @throws ApiError when the request is refused or not answered.
 */
export async function dataOf<Data>(request: Promise<{ data?: Data }>): Promise<Data> {
  return (await request).data as Data;
}

/** A read: its answer is kept under its path and parameters. */
export function read<Path extends Reads>(
  path: Path,
  ...[params]: RequiredKeysOf<Parameters<Path>> extends never ? [Parameters<Path>?] : [Parameters<Path>]
) {
  return queryOptions({
    queryKey: [path, params] as const,
    queryFn: ({ signal }) => get(path, params as Parameters<Path>, signal),
  });
}

/** The most entries that the server puts into one answer. */
const ENTRIES_MAX = 1000;

type Lists = { [Path in Reads]: Answer<Path> extends { next_after?: string | null } ? Path : never }[Reads];

/** All entries of a list whose answers are pages. One that is kept is not given up when nothing shows it any more. */
export function readAll<Path extends Lists, Entry>(
  path: Path,
  params: Parameters<Path>,
  entriesOf: (answer: Answer<Path>) => Entry[],
  { isKept = false } = {},
) {
  return queryOptions({
    queryKey: [path, params, "all"] as const,
    queryFn: (context) =>
      wholeList(
        (page) =>
          get(
            path,
            { ...params, query: { ...params.query, ...page } } as Parameters<Path>,
            isKept ? undefined : context.signal,
          ) as Promise<Answer<Path> & { next_after?: string | null }>,
        entriesOf as (answer: Answer<Path> & { next_after?: string | null }) => Entry[],
      ),
  });
}

/** All entries of a list: asks for what follows until nothing does. */
export async function wholeList<Page extends { next_after?: string | null }, Entry>(
  page: (query: { limit: number; after?: string }) => Promise<Page>,
  entriesOf: (answer: Page) => Entry[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | null | undefined;
  do {
    const answer = await page({ limit: ENTRIES_MAX, ...(after == null ? {} : { after }) });
    entries.push(...entriesOf(answer));
    after = answer.next_after;
  } while (after != null);
  return entries;
}

/** The client takes a path and its parameters apart by itself: together they are typed above. */
function get<Path extends Reads>(path: Path, params: Parameters<Path>, signal: AbortSignal | undefined) {
  type Get = (path: Path, init: object) => Promise<{ data?: Answer<Path> }>;
  return dataOf((client.GET as unknown as Get)(path, { params, signal }));
}
