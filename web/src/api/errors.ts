/** The error type for requests. Its message is for users. */
import { upperFirst } from "@/lib/units";
import type { Problem } from "./types";

export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** The HTTP status; `null` without a response. */
    readonly status: number | null,
    /** The problem title of the server. */
    readonly title: string,
    /** The request's id in the server's log. */
    readonly requestId: string | null,
    /** The wrong field of the request, and its error; `null` if the server names none. */
    readonly field: { name: string; text: string } | null = null,
  ) {
    super(message);
  }

  /** Whether a retry may help: no response, or a server error. */
  get isTransient(): boolean {
    return this.status === null || this.status >= 500 || this.status === 429;
  }
}

/** The error for a response that is not 2xx. */
export function errorOfResponse(response: Response, body: unknown): ApiError {
  const requestId = response.headers.get("x-request-id");
  if (isProblem(body)) {
    const { detail, title, request_id } = body;
    return new ApiError(detail, response.status, title, request_id ?? requestId, fieldOf(body));
  }
  return new ApiError(
    `The server returned status ${response.status} without details.`,
    response.status,
    "Unexpected response",
    requestId,
  );
}

export function errorOfNoResponse(): ApiError {
  return new ApiError(
    "No response. Check your network, and that the server is running.",
    null,
    "Server not responding",
    null,
  );
}

/** The error for an address of an unknown item. */
export function errorOfUnknown(detail: string): ApiError {
  return new ApiError(detail, 404, "Not found", null);
}

/** The error for a value that the interface rejects before it sends the request. */
export function errorOfField(name: string, text: string): ApiError {
  return new ApiError(text, null, "Invalid value", null, { name, text });
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
