/** What the settings keep in the URL: which part is shown, and which page of the audit log. */
import { cursor, oneOf, present, type RawSearch, searchOf } from "@/lib/search";

/** The parts; the first is the usual one. */
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
