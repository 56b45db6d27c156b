/** Small helpers over lists. */

/** The entries of each key, at least one, both in the order of their first appearance. */
export function groupBy<T, Key>(entries: readonly T[], keyOf: (entry: T) => Key): Map<Key, [T, ...T[]]> {
  const groups = new Map<Key, [T, ...T[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

/** Each value once, in the order of its first appearance. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Ascending order, for `sort`, independent of the locale. */
export function ascending<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}
