/** Short addresses for what is in the address bar. */
import { client, dataOf } from "./client";

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
