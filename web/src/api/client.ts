/** The typed client: paths, parameters and answers are checked against the generated schema. */
import createClient from "openapi-fetch";
import { errorOfResponse, errorOfSilence } from "./errors";
import type { paths } from "./schema.gen";

/** Requests go to the origin that served the page, and say that one of its pages sent them. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  headers: { "x-roundtrip-csrf": "1" },
});

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * The data of an answer. Where the server has text as well, as CSV, that is for who asks for it: this client does not.
 *
 * @throws ApiError for everything else.
 */
export async function dataOf<Data>(request: Promise<Answer<Data>>): Promise<Exclude<Data, string>> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    // A request that the page itself gave up is not the server's silence.
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw errorOfSilence();
  });
  if (data === undefined) throw errorOfResponse(response, error);
  return data as Exclude<Data, string>;
}

/**
 * Waits for an answer without data.
 *
 * @throws ApiError unless it is one.
 */
export async function done(request: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await request.catch(() => {
    throw errorOfSilence();
  });
  if (!response.ok) throw errorOfResponse(response, error);
}
