/**
 * All writes. They throw an `ApiError`, whose `field` names a wrong value. Secrets are only in the response that creates
 * them.
 */
import { applicationRoot, pagePath, shownPath } from "@/lib/site";
import { client, dataOf } from "./client";
import { ApiError } from "./errors";
import type * as Api from "./types";

const CSRF = { header: { "x-roundtrip-csrf": "1" } };

/** Signs in with a user token. Load a new page afterwards, to discard the data of the previous user. */
export async function signIn(token: string): Promise<void> {
  await dataOf(client.POST("/api/v1/session", { params: CSRF, body: { token } }));
  const { account } = await dataOf(client.GET("/api/v1/session"));
  if (account !== null) return;
  const detail =
    "The token is valid, but the browser rejected the cookie. Use HTTPS, or a server on this machine.";
  throw new ApiError(detail, null, "Not signed in", null);
}

export const signOut = () => dataOf(client.DELETE("/api/v1/session", { params: CSRF }));

export const createProject = (body: Api.ProjectRequest) => dataOf(client.POST("/api/v1/projects", { body }));

/** Changes settings of a project; absent ones stay. */
export const changeProject = (project: string, body: Api.ProjectChange) =>
  dataOf(client.PATCH("/api/v1/projects/{project}", { params: { path: { project } }, body }));

/** Permanently deletes a project and all its results. */
export const deleteProject = (project: string) =>
  dataOf(client.DELETE("/api/v1/projects/{project}", { params: { path: { project } } }));

/** Sets the role of an account in a project. */
export const setMember = (project: string, account: string, role: Api.Role) => {
  const params = { path: { project, account } };
  return dataOf(client.PUT("/api/v1/projects/{project}/members/{account}", { params, body: { role } }));
};

export const removeMember = (project: string, account: string) =>
  dataOf(
    client.DELETE("/api/v1/projects/{project}/members/{account}", { params: { path: { project, account } } }),
  );

export const createSchedule = (project: string, body: Api.ScheduleRequest) =>
  dataOf(client.POST("/api/v1/projects/{project}/schedules", { params: { path: { project } }, body }));

/** Removes a schedule. Its queued jobs stay. */
export const deleteSchedule = (project: string, schedule_id: number) => {
  const params = { path: { project, schedule_id } };
  return dataOf(client.DELETE("/api/v1/projects/{project}/schedules/{schedule_id}", { params }));
};

export const createChannel = (project: string, body: Api.ChannelRequest) =>
  dataOf(client.POST("/api/v1/projects/{project}/channels", { params: { path: { project } }, body }));

/** Changes a channel; absent values stay. */
export const changeChannel = (project: string, channel_id: number, body: Api.ChannelChange) => {
  const params = { path: { project, channel_id } };
  return dataOf(client.PATCH("/api/v1/projects/{project}/channels/{channel_id}", { params, body }));
};

/** Sends a test message; a failed delivery is not an error. */
export const testChannel = (project: string, channel_id: number) => {
  const params = { path: { project, channel_id } };
  return dataOf(client.POST("/api/v1/projects/{project}/channels/{channel_id}/test", { params }));
};

export const deleteChannel = (project: string, channel_id: number) => {
  const params = { path: { project, channel_id } };
  return dataOf(client.DELETE("/api/v1/projects/{project}/channels/{channel_id}", { params }));
};

export const createToken = (body: Api.TokenRequest) => dataOf(client.POST("/api/v1/tokens", { body }));

/** Rotates the secret of a token; the old one stays valid for some hours. */
export const rotateToken = (token_id: number, overlap_hours: number) => {
  const params = { path: { token_id } };
  return dataOf(client.POST("/api/v1/tokens/{token_id}/rotate", { params, body: { overlap_hours } }));
};

/** Revokes a token immediately. */
export const revokeToken = (token_id: number) =>
  dataOf(client.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id } } }));

/** Creates an account, with a token unless it signs in with GitHub. */
export const createAccount = (body: { name: string; github_login?: string; is_admin: boolean }) =>
  dataOf(client.POST("/api/v1/accounts", { body }));

/** Removes an account, with its tokens, its sessions and its roles. */
export const deleteAccount = (account: string) =>
  dataOf(client.DELETE("/api/v1/accounts/{account}", { params: { path: { account } } }));

/** Queues jobs. Duplicates of open jobs are skipped. */
export const requestJobs = (project: string, body: Api.JobRequest) =>
  dataOf(client.POST("/api/v1/projects/{project}/jobs", { params: { path: { project } }, body }));

/** Cancels an open job; finished ones stay unchanged. */
export const cancelJob = (project: string, job_id: number) =>
  dataOf(
    client.DELETE("/api/v1/projects/{project}/jobs/{job_id}", { params: { path: { project, job_id } } }),
  );

/** Adds a note to a commit, by its SHA or a unique prefix. */
export const addNote = (project: string, sha: string, text: string) => {
  const params = { path: { project, sha } };
  return dataOf(client.POST("/api/v1/projects/{project}/commits/{sha}/notes", { params, body: { text } }));
};

export const deleteNote = (project: string, note_id: number) => {
  const params = { path: { project, note_id } };
  return dataOf(client.DELETE("/api/v1/projects/{project}/notes/{note_id}", { params }));
};

export const createEnrolment = (body: Api.EnrolmentRequest) =>
  dataOf(client.POST("/api/v1/enrolments", { body }));

/** Enables, disables or labels an agent; absent values stay. */
export const changeAgent = (agent_id: number, body: Api.AgentChange) =>
  dataOf(client.PATCH("/api/v1/agents/{agent_id}", { params: { path: { agent_id } }, body }));

/** Removes an agent: its machine needs a new code. */
export const revokeAgent = (agent_id: number) =>
  dataOf(client.DELETE("/api/v1/agents/{agent_id}", { params: { path: { agent_id } } }));

/** Changes regressions one by one and stops at the first error; earlier changes stay. */
export async function triage(project: string, ids: readonly number[], body: Api.RegressionChange) {
  for (const regression_id of ids) {
    const params = { path: { project, regression_id } };
    await dataOf(client.PATCH("/api/v1/projects/{project}/regressions/{regression_id}", { params, body }));
  }
}

export const addComment = (project: string, regression_id: number, text: string) =>
  dataOf(
    client.POST("/api/v1/projects/{project}/regressions/{regression_id}/comments", {
      params: { path: { project, regression_id } },
      body: { text },
    }),
  );

export const deleteComment = (project: string, regression_id: number, comment_id: number) =>
  dataOf(
    client.DELETE("/api/v1/projects/{project}/regressions/{regression_id}/comments/{comment_id}", {
      params: { path: { project, regression_id, comment_id } },
    }),
  );

/**
 * A link to this page in its current state: a short one for signed-in users, otherwise the full address. Also the full
 * address if the server creates no link.
 */
export async function linkToPage(part?: string): Promise<string> {
  const path = shownPath();
  const url = await shortPath(path).catch(() => path);
  return `${applicationRoot()}${pagePath(url)}${part === undefined ? "" : `#${part}`}`;
}

async function shortPath(path: string): Promise<string> {
  const { account } = await dataOf(client.GET("/api/v1/session"));
  if (account === null) return path;
  const { url } = await dataOf(client.POST("/api/v1/links", { body: { path } }));
  return url;
}
