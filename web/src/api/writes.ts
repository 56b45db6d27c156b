/**
 * Every write. Each throws an `ApiError` when it is refused, whose `field` names the member that is wrong, and a secret is
 * in the answer that makes it and nowhere else.
 */
import { client, dataOf } from "./client";
import { ApiError } from "./errors";
import type * as Api from "./types";

const CSRF = { header: { "x-roundtrip-csrf": "1" } };

/** Signs in with a user's token. What a page holds belongs to who was signed in, so that a new page follows. */
export async function signIn(token: string): Promise<void> {
  await dataOf(client.POST("/api/v1/session", { params: CSRF, body: { token } }));
  const { account } = await dataOf(client.GET("/api/v1/session"));
  if (account !== null) return;
  const detail =
    "The token is right, but the browser did not keep the cookie: that takes HTTPS, or a server on this machine.";
  throw new ApiError(detail, null, "Not signed in", null);
}

export const signOut = () => dataOf(client.DELETE("/api/v1/session", { params: CSRF }));

export const createProject = (body: Api.ProjectRequest) => dataOf(client.POST("/api/v1/projects", { body }));

/** Changes what a project is set to; what is absent stays. */
export const changeProject = (project: string, body: Api.ProjectChange) =>
  dataOf(client.PATCH("/api/v1/projects/{project}", { params: { path: { project } }, body }));

/** Deletes a project with all that was measured of it. There is no way back. */
export const deleteProject = (project: string) =>
  dataOf(client.DELETE("/api/v1/projects/{project}", { params: { path: { project } } }));

/** Gives an account a role in a project, in place of the one that it has. */
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

/** Ends a schedule. What it asked for stays in the queue. */
export const deleteSchedule = (project: string, schedule_id: number) => {
  const params = { path: { project, schedule_id } };
  return dataOf(client.DELETE("/api/v1/projects/{project}/schedules/{schedule_id}", { params }));
};

export const createChannel = (project: string, body: Api.ChannelRequest) =>
  dataOf(client.POST("/api/v1/projects/{project}/channels", { params: { path: { project } }, body }));

/** Changes a channel; what is absent stays. */
export const changeChannel = (project: string, channel_id: number, body: Api.ChannelChange) => {
  const params = { path: { project, channel_id } };
  return dataOf(client.PATCH("/api/v1/projects/{project}/channels/{channel_id}", { params, body }));
};

/** Sends a channel a message that says nothing but that it arrives; that it is not taken is no error. */
export const testChannel = (project: string, channel_id: number) => {
  const params = { path: { project, channel_id } };
  return dataOf(client.POST("/api/v1/projects/{project}/channels/{channel_id}/test", { params }));
};

export const deleteChannel = (project: string, channel_id: number) => {
  const params = { path: { project, channel_id } };
  return dataOf(client.DELETE("/api/v1/projects/{project}/channels/{channel_id}", { params }));
};

export const createToken = (body: Api.TokenRequest) => dataOf(client.POST("/api/v1/tokens", { body }));

/** Gives a token another secret; the one of now is accepted for so many hours more. */
export const rotateToken = (token_id: number, overlap_hours: number) => {
  const params = { path: { token_id } };
  return dataOf(client.POST("/api/v1/tokens/{token_id}/rotate", { params, body: { overlap_hours } }));
};

/** Revokes a token: from the next request on it is refused. */
export const revokeToken = (token_id: number) =>
  dataOf(client.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id } } }));

/** Makes an account, with a first token unless it signs in with GitHub. */
export const createAccount = (body: { name: string; github_login?: string; is_admin: boolean }) =>
  dataOf(client.POST("/api/v1/accounts", { body }));

/** Removes an account, with its tokens, its sessions and its roles. */
export const deleteAccount = (account: string) =>
  dataOf(client.DELETE("/api/v1/accounts/{account}", { params: { path: { account } } }));

/** Asks for commits to be measured. What is open already is not asked for twice. */
export const requestJobs = (project: string, body: Api.JobRequest) =>
  dataOf(client.POST("/api/v1/projects/{project}/jobs", { params: { path: { project } }, body }));

/** Cancels a job that is open. One that is over stays as it is. */
export const cancelJob = (project: string, job_id: number) =>
  dataOf(
    client.DELETE("/api/v1/projects/{project}/jobs/{job_id}", { params: { path: { project, job_id } } }),
  );

export const createEnrolment = (body: Api.EnrolmentRequest) =>
  dataOf(client.POST("/api/v1/enrolments", { body }));

/** Changes whether an agent is given work, and what it is labelled with; what is absent stays. */
export const changeAgent = (agent_id: number, body: Api.AgentChange) =>
  dataOf(client.PATCH("/api/v1/agents/{agent_id}", { params: { path: { agent_id } }, body }));

/** Turns an agent away: its machine needs another code. */
export const revokeAgent = (agent_id: number) =>
  dataOf(client.DELETE("/api/v1/agents/{agent_id}", { params: { path: { agent_id } } }));

/** Changes some regressions one after the other: the first that is refused ends it, and those before it stay changed. */
export async function triage(project: string, ids: readonly number[], body: Api.RegressionChange) {
  for (const regression_id of ids) {
    const params = { path: { project, regression_id } };
    await dataOf(client.PATCH("/api/v1/projects/{project}/regressions/{regression_id}", { params, body }));
  }
}

/**
 * A short address of this page as it is, and of a part of it. Where the server gives none, as to who may not write there,
 * the long one does as well.
 */
export async function shortLink(part?: string): Promise<string> {
  const { origin, pathname, search } = window.location;
  const path = `${pathname}${search}`;
  const { url } = await dataOf(client.POST("/api/v1/links", { body: { path } })).catch(() => ({ url: path }));
  return `${origin}${url}${part === undefined ? "" : `#${part}`}`;
}
