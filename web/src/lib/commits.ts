/** Commit names for people. */

/** The first seven digits of an object name. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}
