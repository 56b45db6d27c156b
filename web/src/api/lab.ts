/** Asking for commits to be measured, and managing the agents that do it. */
import { client, dataOf, done } from "./client";
import type { AgentChange, AgentSummary, EnrolmentCode, EnrolmentRequest, JobRequest } from "./types";

/**
 * Asks for commits to be measured. Returns the numbers of the new jobs: what is open already is not asked for twice.
 *
 * @throws ApiError when it is refused; its `field` names what is wrong.
 */
export async function requestJobs(project: string, request: JobRequest): Promise<number[]> {
  const params = { path: { project } };
  const { job_ids } = await dataOf(client.POST("/api/v1/projects/{project}/jobs", { params, body: request }));
  return job_ids;
}

/**
 * Cancels a job that is open. One that is over stays as it is.
 *
 * @throws ApiError when that is refused.
 */
export async function cancelJob(project: string, job_id: number): Promise<void> {
  const params = { path: { project, job_id } };
  await done(client.DELETE("/api/v1/projects/{project}/jobs/{job_id}", { params }));
}

/**
 * Makes a code that lets one agent in. It is in the answer, and nowhere else.
 *
 * @throws ApiError when it is refused; its `field` names what is wrong.
 */
export function createEnrolment(request: EnrolmentRequest): Promise<EnrolmentCode> {
  return dataOf(client.POST("/api/v1/enrolments", { body: request }));
}

/**
 * Changes whether an agent is given work, and what it is labelled with; what is absent stays.
 *
 * @throws ApiError when it is refused.
 */
export function changeAgent(agent_id: number, change: AgentChange): Promise<AgentSummary> {
  const params = { path: { agent_id } };
  return dataOf(client.PATCH("/api/v1/agents/{agent_id}", { params, body: change }));
}

/**
 * Turns an agent away: its machine needs another code.
 *
 * @throws ApiError when that is refused.
 */
export async function revokeAgent(agent_id: number): Promise<void> {
  await done(client.DELETE("/api/v1/agents/{agent_id}", { params: { path: { agent_id } } }));
}
