/** Differences between two environments of a machine. */
import { distinct } from "./collections";

type EnvironmentFacts = Readonly<Record<string, string>>;

/** Longer values are shortened. */
const VALUE_CHARACTERS_MAX = 24;

export function changedFacts(before: EnvironmentFacts, after: EnvironmentFacts): string[] {
  return distinct([...Object.keys(before), ...Object.keys(after)])
    .sort()
    .filter((key) => before[key] !== after[key]);
}

/** The first changed fact, and the number of others. */
export function environmentDifference(
  before: EnvironmentFacts | undefined,
  after: EnvironmentFacts | undefined,
): string {
  if (before === undefined || after === undefined) return "environment changed";
  const changed = changedFacts(before, after);
  const [first] = changed;
  if (first === undefined) return "environment changed";
  const more = changed.length > 1 ? `, and ${changed.length - 1} more` : "";
  return `${first}: ${brief(before[first])} → ${brief(after[first])}${more}`;
}

function brief(value: string | undefined): string {
  if (value === undefined) return "absent";
  return value.length <= VALUE_CHARACTERS_MAX ? value : `${value.slice(0, VALUE_CHARACTERS_MAX - 1)}…`;
}
