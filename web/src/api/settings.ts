/** Changing what a project is set to, and who is a member of it. */
import { client, dataOf, done } from "./client";
import type { ProjectChange, ProjectSettings, Role } from "./types";

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
