/** Query parameters of the settings. */
import { cursor, oneOf, present, type RawSearch, searchOf } from "@/lib/search";

/** The sections; the first is the default. */
export const SECTIONS = [
  "general",
  "schedules",
  "members",
  "tokens",
  "notifications",
  "badges",
  "accounts",
  "audit",
  "delete",
] as const;
export type SettingsSection = (typeof SECTIONS)[number];

const [, ...UNUSUAL] = SECTIONS;

const parse = searchOf({ section: oneOf(UNUSUAL), after: cursor });
export type SettingsSearch = ReturnType<typeof parse>;

export function parseSettingsSearch(raw: RawSearch): SettingsSearch {
  const { section, after } = parse(raw);
  return present({ section, after: section === "audit" ? after : undefined });
}
