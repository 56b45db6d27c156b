/** Where to go when signed in: a path of this server's pages, never another site. The server keeps the same rule. */
const LENGTH_MAX = 2048;

/**
 * The path in a value; `undefined` where it is none. Browsers read a backslash as a slash, leave out tabs and line breaks,
 * and take two slashes for the beginning of a host.
 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > LENGTH_MAX) return undefined;
  return /^\/(?!\/)[!-[\]-~]*$/.test(value) ? value : undefined;
}
