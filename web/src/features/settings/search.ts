/** What the settings keep in the URL: which part is shown, and which page of the audit log. */
import { cursor, oneOf, type Present, present, type RawSearch } from "@/lib/search";

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

export type SettingsSearch = Present<{
  section: Exclude<SettingsSection, "general"> | undefined;
  after: string | undefined;
}>;

export function parseSettingsSearch(raw: RawSearch): SettingsSearch {
  const section = oneOf(raw.section, [
    "schedules",
    "members",
    "tokens",
    "notifications",
    "badges",
    "accounts",
    "audit",
    "delete",
  ]);
  return present({ section, after: section === "audit" ? cursor(raw.after) : undefined });
}
