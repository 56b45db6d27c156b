/** Saying what becomes of regressions. */
import { client, dataOf } from "./client";
import type { RegressionChange } from "./types";

/**
 * Changes what people say of some regressions, one after the other: the first that is refused ends it, and those before it
 * stay changed.
 *
 * @throws ApiError when one is refused.
 */
export async function triage(
  project: string,
  ids: readonly number[],
  change: RegressionChange,
): Promise<void> {
  for (const regression_id of ids) {
    const params = { path: { project, regression_id } };
    await dataOf(
      client.PATCH("/api/v1/projects/{project}/regressions/{regression_id}", { params, body: change }),
    );
  }
}
