/** Changing what a project is set to, and who is a member of it. */
import { client, dataOf, done } from "./client";
import type {
  ProjectChange,
  ProjectRequest,
  ProjectSettings,
  Role,
  Schedule,
  ScheduleRequest,
} from "./types";

/**
 * Changes what a project is set to; what is absent stays.
 *
 * @throws ApiError when it is refused; its `field` names the setting that is wrong.
 */
export function changeProject(project: string, change: ProjectChange): Promise<ProjectSettings> {
  const params = { path: { project } };
  return dataOf(client.PATCH("/api/v1/projects/{project}", { params, body: change }));
}

/**
 * Makes a project before its first run.
 *
 * @throws ApiError when it is refused; its `field` names the setting that is wrong.
 */
export function createProject(request: ProjectRequest): Promise<ProjectSettings> {
  return dataOf(client.POST("/api/v1/projects", { body: request }));
}

/**
 * Has the newest commit measured at a time.
 *
 * @throws ApiError when it is refused; its `field` names what is wrong.
 */
export function createSchedule(project: string, request: ScheduleRequest): Promise<Schedule> {
  const params = { path: { project } };
  return dataOf(client.POST("/api/v1/projects/{project}/schedules", { params, body: request }));
}

/**
 * Ends a schedule. What it asked for stays in the queue.
 *
 * @throws ApiError when that is refused.
 */
export async function deleteSchedule(project: string, schedule_id: number): Promise<void> {
  const params = { path: { project, schedule_id } };
  await done(client.DELETE("/api/v1/projects/{project}/schedules/{schedule_id}", { params }));
}

/**
 * Deletes a project with all that was measured of it. There is no way back.
 *
 * @throws ApiError when it is refused.
 */
export async function deleteProject(project: string): Promise<void> {
  await done(client.DELETE("/api/v1/projects/{project}", { params: { path: { project } } }));
}

/**
 * Gives an account a role in a project, in place of the one that it has.
 *
 * @throws ApiError when it is refused, as for an account that does not exist.
 */
export async function setMember(project: string, account: string, role: Role): Promise<void> {
  const params = { path: { project, account } };
  await done(client.PUT("/api/v1/projects/{project}/members/{account}", { params, body: { role } }));
}

/**
 * Takes an account out of a project.
 *
 * @throws ApiError when it is refused.
 */
export async function removeMember(project: string, account: string): Promise<void> {
  const params = { path: { project, account } };
  await done(client.DELETE("/api/v1/projects/{project}/members/{account}", { params }));
}
