/** States of the whole API that pages have to look right in; `MOCK_STATE` names one. */

export const STATES = ["usual", "empty", "error", "slow", "forbidden"] as const;
export type State = (typeof STATES)[number];

/**
 * The state of a name; the usual one where none is named.
 *
 * @throws when there is none of that name.
 */
export function stateOf(name: string | undefined): State {
  if (name === undefined || name === "") return "usual";
  const state = STATES.find((known) => known === name);
  if (state === undefined) throw new Error(`MOCK_STATE is ${name}: expected one of ${STATES.join(", ")}.`);
  return state;
}
