/** The mocked API as MSW handlers, for the development server and tests. */
import { delay, HttpResponse, http, type RequestHandler } from "msw";
import { problemOf } from "@/site/endpoint";
import { Refusal, type State } from "./endpoint";
import { READS } from "./reads";
import { World } from "./world/world";
import { log, WRITES } from "./writes";

/** The delay of the slow state. */
const SLOW_MS = 2_000;
const ALWAYS = ["/api/v1/session", "/api/v1/projects/{project}", "/healthz", "/readyz"];

/** Whether a path belongs to the API: modules of the interface can have similar paths. */
const IS_API = /^https?:\/\/[^/]+\/(api|auth|l)\//;

/** A mock with untyped parameters. */
type AnyMock = (world: World, asked: { path: unknown; query: unknown; body: unknown }) => unknown;
type Method = "get" | "post" | "put" | "patch" | "delete";

/** The handlers for a new world. */
export function mockApi(state: State = "usual"): { world: World; handlers: RequestHandler[] } {
  const world = new World({
    ...(state === "empty" && { commitCount: 0 }),
    ...(state === "first" && { commitCount: 1 }),
    isForbidden: state === "forbidden",
  });
  const mocks = Object.entries({ get: READS, ...WRITES }) as [Method, Record<string, AnyMock>][];
  const handlers = mocks.flatMap(([method, ofMethod]) =>
    // Paths without parameters have priority.
    Object.entries(ofMethod)
      .sort(([one], [other]) => one.split("{").length - other.split("{").length)
      .map(([path, mock]) =>
        http[method](`*${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, async ({ params, request }) => {
          if (state === "slow") await delay(SLOW_MS);
          try {
            refuse(state, path);
            const query = Object.fromEntries(new URL(request.url).searchParams);
            const body = request.body === null ? undefined : await request.json();
            const answer = mock(world, { path: params, query, body });
            if (method !== "get") log(world, method, path, params);
            return answer instanceof Response ? answer : HttpResponse.json(answer as object);
          } catch (error) {
            if (error instanceof Refusal) return problem(error);
            throw error;
          }
        }),
      ),
  );
  const unknown = http.all(IS_API, ({ request: { method, url } }) => {
    const { pathname } = new URL(url);
    return problem(
      method === "GET"
        ? new Refusal(404, "unknown-path", "Not found", `The mock has no ${pathname}.`)
        : new Refusal(
            501,
            "not-mocked",
            "Not in the mock",
            `The mock does not implement ${method} ${pathname}.`,
          ),
    );
  });
  return { world, handlers: [...handlers, unknown] };
}

function refuse(state: State, path: string): void {
  if (ALWAYS.includes(path)) return;
  if (state === "error")
    throw new Refusal(
      503,
      "unavailable",
      "Database unavailable",
      "the database is busy or unreachable: retry later",
    );
  if (state !== "forbidden") return;
  throw new Refusal(403, "forbidden", "Permission denied", "Your account has no role in this project.");
}

function problem(refusal: Refusal): Response {
  return problemOf(refusal, { request_id: "01JDMOCK" });
}
