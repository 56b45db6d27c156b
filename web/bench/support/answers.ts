/** Typed reads of the API, for the benchmarks and the pictures. */
import type { APIRequestContext } from "@playwright/test";
import type { paths } from "../../src/api/schema.gen";

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

/**
 * Returns a function that reads a path of the API for a project.
 *
 * @throws unless the response is successful.
 */
export const answersOf =
  (request: APIRequestContext, project = "") =>
  async <Path extends keyof paths>(path: Path, query = ""): Promise<Answer<Path>> => {
    const address = `${path.replace("{project}", project)}?${query}`;
    const response = await request.get(address);
    if (!response.ok()) throw new Error(`${address}: expected success, got status ${response.status()}.`);
    return response.json();
  };
