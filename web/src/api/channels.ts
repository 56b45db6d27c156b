/** To whom a project tells what happens. A key is in the answer that makes a channel, and nowhere else. */
import { client, dataOf, done } from "./client";
import type { Channel, ChannelChange, ChannelRequest, ChannelTest, NewChannel } from "./types";

/**
 * Makes a channel.
 *
 * @throws ApiError when it is refused; its `field` names the member that is wrong.
 */
export function createChannel(project: string, request: ChannelRequest): Promise<NewChannel> {
  const params = { path: { project } };
  return dataOf(client.POST("/api/v1/projects/{project}/channels", { params, body: request }));
}

/**
 * Changes a channel; what is absent stays.
 *
 * @throws ApiError when it is refused.
 */
export function changeChannel(project: string, channel_id: number, change: ChannelChange): Promise<Channel> {
  const params = { path: { project, channel_id } };
  return dataOf(client.PATCH("/api/v1/projects/{project}/channels/{channel_id}", { params, body: change }));
}

/**
 * Sends a channel a message that says nothing but that it arrives.
 *
 * @throws ApiError when that is refused; that the message is not taken is no error.
 */
export function testChannel(project: string, channel_id: number): Promise<ChannelTest> {
  const params = { path: { project, channel_id } };
  return dataOf(client.POST("/api/v1/projects/{project}/channels/{channel_id}/test", { params }));
}

/**
 * Deletes a channel, and what waits for it.
 *
 * @throws ApiError when that is refused.
 */
export async function deleteChannel(project: string, channel_id: number): Promise<void> {
  const params = { path: { project, channel_id } };
  await done(client.DELETE("/api/v1/projects/{project}/channels/{channel_id}", { params }));
}
