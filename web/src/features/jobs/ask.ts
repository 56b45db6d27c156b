/** Asks for what a form holds: names of commits are made whole first, as far as they are known here. */
import { client, dataOf } from "@/api/client";
import { ApiError } from "@/api/errors";
import { requestJobs } from "@/api/lab";
import { complaintOf, requestOf, type Wish } from "./data";

const WHOLE = /^[0-9a-f]{40}$/;

/**
 * Asks, and returns the numbers of the new jobs.
 *
 * @throws ApiError when something is missing or refused; its `field` names what.
 */
export async function ask(project: string, wish: Wish): Promise<number[]> {
  const complaint = complaintOf(wish);
  if (complaint !== null) throw new ApiError(complaint.text, 400, "Something is missing", null, complaint);
  const request = requestOf(wish);
  const whole = (field: string) => (name: string) => wholeName(project, field, name);
  const { commits, after, until, base } = request;
  return requestJobs(project, {
    ...request,
    ...(commits !== undefined && { commits: await Promise.all(commits.map(whole("commits"))) }),
    ...(after != null && { after: await whole("after")(after) }),
    ...(until != null && { until: await whole("until")(until) }),
    ...(base != null && { base: await whole("base")(base) }),
  });
}

/** The full name of a commit by its first digits. One that nobody has measured is known by its full name alone. */
async function wholeName(project: string, field: string, name: string): Promise<string> {
  if (WHOLE.test(name)) return name;
  const params = { path: { project, sha: name } };
  try {
    const { commit } = await dataOf(client.GET("/api/v1/projects/{project}/commits/{sha}", { params }));
    return commit.sha;
  } catch (error) {
    if (!(error instanceof ApiError) || error.isTransient) throw error;
    const text = `${name} is no commit that is known here: expected its full name.`;
    throw new ApiError(text, error.status, error.title, error.requestId, { name: field, text });
  }
}
