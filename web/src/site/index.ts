/** Answers requests to the API from the files of a site. Loaded only there. */
import { charts } from "./charts";
import { comparison } from "./comparison";
import { required } from "./data";
import { problemOf, Refusal } from "./endpoint";
import { nameOf } from "./files";
import { lists } from "./lists";
import { runs } from "./runs";
import { series } from "./series";

const PREFIX = "/api/v1/";

type AnyAnswer = (asked: { path: unknown; query: unknown }) => Promise<unknown>;

/** Computed answers by path. No request matches two paths. */
const COMPUTED = Object.entries<unknown>({ ...charts, ...comparison, ...lists, ...runs, ...series }).map(
  ([path, answer]) => ({ segments: path.split("/"), answer: answer as AnyAnswer }),
);

/** The response of a server with the same data, or an error that names what the site has. */
export async function answer(request: Request): Promise<Response> {
  try {
    if (request.method !== "GET") {
      throw new Refusal(
        405,
        "read-only",
        "Read-only",
        "This site is static. To change something, use a server.",
      );
    }
    return Response.json(await bodyOf(new URL(request.url)));
  } catch (error) {
    if (error instanceof Refusal) return problemOf(error);
    const detail = `Cannot read the site's data: ${error instanceof Error ? error.message : String(error)}`;
    return problemOf(new Refusal(503, "unreadable-data", "Site data not readable", detail));
  }
}

async function bodyOf({ pathname, searchParams }: URL): Promise<unknown> {
  const path = pathname.split("/").map(decodeURIComponent);
  for (const { segments, answer } of COMPUTED) {
    const parameters = parametersOf(segments, path);
    if (parameters !== null) return answer({ path: parameters, query: Object.fromEntries(searchParams) });
  }
  return required(nameOf(path.join("/").slice(PREFIX.length), Object.fromEntries(searchParams)));
}

/** The parameters of a path by name; `null` if the path is another one. */
function parametersOf(segments: readonly string[], path: readonly string[]): Record<string, string> | null {
  if (segments.length !== path.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = path[index] ?? "";
    if (segment.startsWith("{")) parameters[segment.slice(1, -1)] = value;
    else if (segment !== value) return null;
  }
  return parameters;
}
