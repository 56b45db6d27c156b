/** Commit names for people. */

export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}
