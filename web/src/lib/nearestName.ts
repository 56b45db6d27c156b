/** The known name that a mistyped word probably means. Pure. */

/** At most one wrong character in three, and never more than two. */
const DISTANCE_MAX = 2;

/** The name with the fewest different characters; `null` if all differ in too many. */
export function nearestName(word: string, names: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  const limit = Math.min(DISTANCE_MAX, Math.floor(wanted.length / 3));
  const near = names
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name ?? null;
}

/** The number of characters to add, remove or replace. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (let index = 1; index <= other.length; index++) {
      const replaced = (row[index - 1] ?? 0) + Number(other[index - 1] !== letter);
      next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
