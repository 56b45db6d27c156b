/** Making, rotating and revoking tokens, and the accounts that have some. A secret is in the answer, and nowhere else. */
import { client, dataOf, done } from "./client";
import type { IssuedToken, NewAccount, TokenRequest } from "./types";

/**
 * Makes a token.
 *
 * @throws ApiError when it is refused; its `field` names the member that is wrong.
 */
export function createToken(request: TokenRequest): Promise<IssuedToken> {
  return dataOf(client.POST("/api/v1/tokens", { body: request }));
}

/**
 * Gives a token another secret; the one of now is accepted for so many hours more.
 *
 * @throws ApiError when it is refused.
 */
export function rotateToken(token_id: number, overlap_hours: number): Promise<IssuedToken> {
  const params = { path: { token_id } };
  return dataOf(client.POST("/api/v1/tokens/{token_id}/rotate", { params, body: { overlap_hours } }));
}

/**
 * Revokes a token: from the next request on it is refused.
 *
 * @throws ApiError when that is refused.
 */
export async function revokeToken(token_id: number): Promise<void> {
  await done(client.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id } } }));
}

/**
 * Makes an account, with a first token unless it signs in with GitHub.
 *
 * @throws ApiError when it is refused, as for a name that is taken.
 */
export function createAccount(request: {
  name: string;
  github_login?: string;
  is_admin: boolean;
}): Promise<NewAccount> {
  return dataOf(client.POST("/api/v1/accounts", { body: request }));
}

/**
 * Removes an account, with its tokens, its sessions and its roles.
 *
 * @throws ApiError when that is refused.
 */
export async function deleteAccount(account: string): Promise<void> {
  await done(client.DELETE("/api/v1/accounts/{account}", { params: { path: { account } } }));
}
