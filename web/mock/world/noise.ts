/** Numbers that look drawn and are always the same: the mock has no clock and no randomness. */

/** A number from 0 to 1 for some whole numbers. */
export function noise(...of: number[]): number {
  let hash = 0x811c9dc5;
  for (const value of of) {
    hash = Math.imul(hash ^ value, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0) / 0xffffffff;
}

/** A factor near 1: at most `spread` away. */
export function wobble(spread: number, ...of: number[]): number {
  return 1 + spread * (noise(...of) + noise(...of, 1) - 1);
}

/** So many hexadecimal digits. */
export function hex(digits: number, ...of: number[]): string {
  return Array.from({ length: digits }, (_, index) =>
    Math.floor(noise(...of, index) * 15.99).toString(16),
  ).join("");
}
