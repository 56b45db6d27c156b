/** From tokens, members and the audit log to what the settings say of them. Pure. */
import { toString as inWords } from "cronstrue";
import type { Scope, TokenKind, TokenSummary, Visibility } from "@/api/types";
import { formatDay, formatMoment } from "@/lib/time";
import { upperFirst } from "@/lib/units";

export function readersText(visibility: Visibility, isPrivateServer: boolean): string {
  if (visibility === "private") return "its members and administrators read it, and nobody else knows of it";
  return isPrivateServer
    ? "everybody who has an account here reads it"
    : "everybody who reaches this server reads it";
}

export const KINDS: Record<TokenKind, string> = {
  agent: "an agent on a lab machine",
  ci: "a job of continuous integration",
  user: "you, with the rights of your account",
};

/** What a token of each kind can be for, and what it is for unless asked otherwise. */
export const SCOPES: Record<TokenKind, { possible: Scope[]; usual: Scope[] }> = {
  agent: { possible: ["read", "ingest:write"], usual: ["ingest:write"] },
  ci: { possible: ["read", "ingest:write"], usual: ["read", "ingest:write"] },
  user: {
    possible: ["read", "ingest:write", "project:write", "admin"],
    usual: ["read", "ingest:write", "project:write"],
  },
};

export const SCOPE_MEANINGS: Record<Scope, string> = {
  read: "read private projects",
  "ingest:write": "upload and import",
  "jobs:claim": "ask for work, as enrolled agents do",
  "project:write": "change the project and its tokens",
  admin: "members, deletion, accounts, the audit log",
};

/** The tokens that belong on a project’s page: its own, and those that are good for any project. */
export function tokensOf(tokens: readonly TokenSummary[], project: string): TokenSummary[] {
  return tokens.filter((token) => token.project === project || token.project === null);
}

/** Until when a token is good: `until 22 Feb 2027`, `ended 3 Nov 2026`, `for ever`. */
export function validity({ expires_at }: Pick<TokenSummary, "expires_at">, now: Date): string {
  if (expires_at === null) return "for ever";
  return `${new Date(expires_at) > now ? "until" : "ended"} ${formatDay(expires_at)}`;
}

/** What an event changed, in a line: `visibility: public to private`. */
export function detailsText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${valueText(value)}`)
    .join("; ");
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return formatMoment(value);
  if (typeof value !== "object" || value === null) return String(value);
  const { from, to } = value as Record<string, unknown>;
  return from === undefined && to === undefined
    ? JSON.stringify(value)
    : `${from ?? "none"} to ${to ?? "none"}`;
}

/** `At 02:30 UTC, every day`; `null` where it is no time. Five fields, as the server takes them. */
export function cronText(cron: string): string | null {
  if (cron.trim().split(/\s+/).length !== 5) return null;
  try {
    const words = inWords(cron, { use24HourTimeFormat: true, verbose: true });
    // The zone belongs to the last time of day that is named.
    return upperFirst(words.replace(/(\d\d:\d\d)(?!.*\d\d:\d\d)/, "$1 UTC"));
  } catch {
    return null;
  }
}
