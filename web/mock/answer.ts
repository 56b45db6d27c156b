/** Answers a request from the world: finds the mock of its path, and says in the server's words where there is none. */
import type { Problem } from "@/api/types";
import { Plain, Refusal } from "./endpoint";
import { READS } from "./reads";
import type { State } from "./state";
import { World } from "./world/world";
import { WRITES } from "./writes";

/** What is asked: the path with its query, as it stands in the request. */
export type Request = { method: string; url: string; body?: unknown };

/** How long an answer takes of a slow server. */
const SLOW_MS = 2_000;
/** What is answered in every state: without them there is no page that could show the others. */
const ALWAYS = ["/api/v1/session", "/api/v1/projects/{project}", "/healthz", "/readyz"];
/** Whether the mock has to answer an address at all. */
const IS_API = /^\/(api|auth|l)\/|^\/(healthz|readyz)$/;

/** A mock as it is called once its parameters are only text. */
type AnyMock = (world: World, asked: { path: unknown; query: unknown; body: unknown }) => unknown;

/** The API of one world in one state. */
export class MockApi {
  readonly world: World;

  constructor(readonly state: State = "usual") {
    this.world = new World({ isEmpty: state === "empty", isForbidden: state === "forbidden" });
  }

  /** The answer to a request; `null` where the address is not the API's. */
  async answer(request: Request): Promise<Plain | null> {
    if (!IS_API.test(pathOf(request))) return null;
    if (this.state === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    try {
      return this.find(request);
    } catch (error) {
      if (error instanceof Refusal) return problem(error);
      throw error;
    }
  }

  private find({ method, url, body }: Request): Plain {
    const path = pathOf({ method, url });
    const mocks = { get: READS, ...WRITES } as Record<string, Record<string, AnyMock>>;
    const found = matching(mocks[method.toLowerCase()] ?? {}, path);
    if (found === null) {
      const isRead = method.toUpperCase() === "GET";
      throw isRead
        ? new Refusal(404, "unknown-path", "It does not exist", `The mock has no ${path}.`)
        : new Refusal(501, "not-mocked", "Not in the mock", `The mock does not follow ${method} ${path}.`);
    }
    this.refuse(found.template);
    const query = Object.fromEntries(new URL(url, "http://mock").searchParams);
    const answer = found.mock(this.world, { path: found.parameters, query, body });
    return answer instanceof Plain ? answer : json(200, answer);
  }

  /** Refuses what the state does not let through. */
  private refuse(template: string): void {
    if (ALWAYS.includes(template)) return;
    if (this.state === "error") {
      throw new Refusal(503, "unavailable", "Not now", "The database does not answer.");
    }
    if (this.state === "forbidden") {
      throw new Refusal(403, "forbidden", "This is not allowed", "Your account has no role in this project.");
    }
  }
}

const pathOf = ({ url }: Request): string => new URL(url, "http://mock").pathname;

/** The mock of the path, with what stands for its parameters. One without parameters goes first. */
function matching(mocks: Record<string, AnyMock>, path: string) {
  const templates = Object.entries(mocks).sort(([one], [other]) => countOf(one) - countOf(other));
  for (const [template, mock] of templates) {
    const groups = patternOf(template).exec(path)?.groups;
    if (groups === undefined) continue;
    const named = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { template, mock, parameters: Object.fromEntries(named) as Record<string, string> };
  }
  return null;
}

const countOf = (template: string): number => template.split("{").length;

/** What an address looks like; a group that nothing is named in makes sure that there always are some. */
function patternOf(template: string): RegExp {
  const escaped = template.replaceAll(".", "\\.");
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}(?<rest>)$`);
}

function json(status: number, body: unknown, type = "application/json"): Plain {
  return new Plain(status, { "content-type": type }, JSON.stringify(body));
}

function problem({ status, code, title, message }: Refusal): Plain {
  const body: Problem = {
    type: `/problems/${code}`,
    code,
    title,
    status,
    detail: message,
    request_id: "01JDMOCK",
  };
  return json(status, body, "application/problem+json");
}
