/** Reads of a server that is measured or pictured, with the types of the API. */
import type { APIRequestContext } from "@playwright/test";
import type { paths } from "../../src/api/schema.gen";

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

/**
 * Asks for what a project has.
 *
 * @throws when the server refuses.
 */
export const answersOf =
  (request: APIRequestContext, project = "") =>
  async <Path extends keyof paths>(path: Path, query = ""): Promise<Answer<Path>> => {
    const address = `${path.replace("{project}", project)}?${query}`;
    const response = await request.get(address);
    if (!response.ok()) throw new Error(`${address} was answered with ${response.status()}.`);
    return response.json();
  };
