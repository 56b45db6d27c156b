/** Which series to load next. Pure. */

/** Rows next to those in sight, so that slow scrolling sends few requests. */
const AHEAD = 25;

/** The ids in sight and next to them that are in no block; none if all in sight are loaded. */
export function nextBlock(
  ids: readonly number[],
  from: number,
  to: number,
  blocks: readonly (readonly number[])[],
): number[] {
  const loaded = new Set(blocks.flat());
  const isMissing = (id: number) => !loaded.has(id);
  if (!ids.slice(from, to).some(isMissing)) return [];
  return ids.slice(Math.max(0, from - AHEAD), to + AHEAD).filter(isMissing);
}
