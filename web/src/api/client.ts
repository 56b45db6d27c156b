/** The typed API client, checked against the generated schema. Error responses are thrown. */
import { queryOptions } from "@tanstack/react-query";
import createClient from "openapi-fetch";
import type { PathsWithMethod, RequiredKeysOf, SuccessResponse } from "openapi-typescript-helpers";
import { isSite } from "@/lib/site";
import { errorOfNoResponse, errorOfResponse } from "./errors";
import type { paths } from "./schema.gen";

export type Reads = PathsWithMethod<paths, "get">;
type Parameters<Path extends Reads> = Omit<paths[Path]["get"]["parameters"], "header" | "cookie">;
export type Answer<Path extends Reads> = SuccessResponse<paths[Path]["get"]["responses"], "application/json">;

/** Query parameters of a read. */
export type QueryOf<Path extends Reads> = NonNullable<paths[Path]["get"]["parameters"]["query"]>;

/** Requests go to the origin of the page, with a CSRF header. */
export const client = createClient<paths, "application/json">({
  baseUrl: globalThis.location?.origin ?? "",
  headers: { "x-roundtrip-csrf": "1" },
  // Looked up at call time: tests replace it.
  fetch: (request) => (isSite() ? answerOfSite(request) : fetch(request)),
});

/** A server's pages do not load the code for static sites. */
async function answerOfSite(request: Request): Promise<Response> {
  const { answer } = await import("@/site");
  return answer(request);
}

client.use({
  onResponse: async ({ response }) => {
    if (!response.ok) throw errorOfResponse(response, await response.json().catch(() => null));
  },
  // A request cancelled by the page is not a missing response.
  onError: ({ error }) =>
    error instanceof DOMException && error.name === "AbortError" ? error : errorOfNoResponse(),
});

/**
 * The data of a response; nothing without a body.
 *
 * @throws ApiError for an error response or no response.
 */
export async function dataOf<Data>(request: Promise<{ data?: Data }>): Promise<Data> {
  return (await request).data as Data;
}

/** A read, cached under its path and parameters. */
export function read<Path extends Reads>(
  path: Path,
  ...[params]: RequiredKeysOf<Parameters<Path>> extends never ? [Parameters<Path>?] : [Parameters<Path>]
) {
  return queryOptions({
    queryKey: [path, params] as const,
    queryFn: ({ signal }) => get(path, params as Parameters<Path>, signal),
  });
}

/** The limit of the server for entries per response. */
const ENTRIES_MAX = 1000;

type Lists = { [Path in Reads]: Answer<Path> extends { next_after?: string | null } ? Path : never }[Reads];

/** All entries of a paginated list. Not cancelled on unmount if cached. */
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

/** Reads all pages of a list. */
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

/** The client types path and parameters separately; above, they are typed together. */
function get<Path extends Reads>(path: Path, params: Parameters<Path>, signal: AbortSignal | undefined) {
  type Get = (path: Path, init: object) => Promise<{ data?: Answer<Path> }>;
  return dataOf((client.GET as unknown as Get)(path, { params, signal }));
}
