/** What can go wrong with a request, as one error type whose message is a sentence for people. */
import { upperFirst } from "@/lib/units";
import type { Problem } from "./types";

export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** The HTTP status; `null` when no answer came at all. */
    readonly status: number | null,
    /** What the server calls the kind of problem. */
    readonly title: string,
    /** The request's id in the server's log. */
    readonly requestId: string | null,
    /** The member of what was sent that is wrong, and how; `null` where the server names none. */
    readonly field: { name: string; text: string } | null = null,
  ) {
    super(message);
  }

  /** True when asking again may help: no answer, or a fault of the server. */
  get isTransient(): boolean {
    return this.status === null || this.status >= 500 || this.status === 429;
  }
}

/** The error that an answer of another status than 2xx stands for. */
export function errorOfResponse(response: Response, body: unknown): ApiError {
  const requestId = response.headers.get("x-request-id");
  if (isProblem(body)) {
    const { detail, title, request_id } = body;
    return new ApiError(detail, response.status, title, request_id ?? requestId, fieldOf(body));
  }
  return new ApiError(
    `The server answered with status ${response.status} and no explanation.`,
    response.status,
    "Unexpected answer",
    requestId,
  );
}

export function errorOfSilence(): ApiError {
  return new ApiError(
    "The server did not answer. Is it still running, and is the network up?",
    null,
    "No answer",
    null,
  );
}

/** The error of an address whose subject is in no list that the page has. */
export function errorOfUnknown(detail: string): ApiError {
  return new ApiError(detail, 404, "It does not exist", null);
}

function fieldOf({ detail, pointer }: Problem): ApiError["field"] {
  const [, member] = pointer?.split("/") ?? [];
  if (member !== undefined) return { name: member, text: upperFirst(detail) };
  const [, name, text] = /^parameter (\w+): ([\s\S]+)$/.exec(detail) ?? [];
  return name === undefined || text === undefined ? null : { name, text: upperFirst(text) };
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== "object" || body === null) return false;
  const { title, detail } = body as Record<string, unknown>;
  return typeof title === "string" && typeof detail === "string";
}
