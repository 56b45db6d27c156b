/** Signing in and out. What a page holds belongs to whoever was signed in, so that both end with a new page. */
import { client, dataOf, done } from "./client";
import { ApiError } from "./errors";

const CSRF = { header: { "x-roundtrip-csrf": "1" } };

/**
 * Signs in with a user's token.
 *
 * @throws ApiError when the token is refused, or the browser does not keep the cookie.
 */
export async function signIn(token: string): Promise<void> {
  await dataOf(client.POST("/api/v1/session", { params: CSRF, body: { token } }));
  const { account } = await dataOf(client.GET("/api/v1/session"));
  if (account === null) {
    throw new ApiError(
      "The token is right, but the browser did not keep the cookie: that takes HTTPS, or a server on this machine.",
      null,
      "Not signed in",
      null,
    );
  }
}

/** Signs out. */
export async function signOut(): Promise<void> {
  await done(client.DELETE("/api/v1/session", { params: CSRF }));
}
