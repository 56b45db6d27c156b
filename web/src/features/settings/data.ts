/** Texts about visibility, tokens, schedules and the audit log. Pure. */
import { toString as inWords } from "cronstrue";
import { errorOfField } from "@/api/errors";
import type { Scope, TokenKind, TokenSummary, Visibility } from "@/api/types";
import { formatDay, formatMoment } from "@/lib/time";
import { upperFirst } from "@/lib/units";

export function readersText(visibility: Visibility, isPrivateServer: boolean): string {
  if (visibility === "private") return "visible to members and administrators only";
  return isPrivateServer ? "any account on this server can view" : "anyone with network access can view";
}

export const LEAST_DEFAULT = "two standard deviations of the series\u2019 noise, between 1 and 3 %";

/** A share in percent, for its field: `2.5`; empty for the default. */
export function percentOf(share: number | null): string {
  return share === null ? "" : String(withoutErrors(share * 100));
}

/** Without rounding errors of binary fractions. */
const withoutErrors = (value: number) => Number(value.toPrecision(12));

/**
 * The smallest change worth an alert, from its field: a share, or `null` for the default.
 *
 * @throws ApiError at the field, if it is not a percentage.
 */
export function leastChangeOf(percent: string): number | null {
  const text = percent.trim().replace(/\s*%$/, "");
  if (text === "") return null;
  const share = /^\d*\.?\d+$/.test(text) ? withoutErrors(Number(text) / 100) : 0;
  if (share > 0 && share < 1) return share;
  throw errorOfField("least_change", "Expected a percentage above 0 and below 100, for example 2.5");
}

export const KINDS: Record<TokenKind, string> = {
  agent: "Agent",
  ci: "CI job",
  user: "User",
};

/** The possible and default scopes of each kind of token. */
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
  "ingest:quarantined": "upload quarantined runs",
  "jobs:claim": "take jobs, as enrolled agents do",
  "project:write": "change the project and its tokens",
  admin: "members, deletion, accounts, the audit log",
};

/** The tokens on a project’s page: its own, and those for any project. */
export function tokensOf(tokens: readonly TokenSummary[], project: string): TokenSummary[] {
  return tokens.filter((token) => token.project === project || token.project === null);
}

/** The validity of a token: `until 22 Feb 2027`, `expired 3 Nov 2026`, `no expiry`. */
export function validity({ expires_at }: Pick<TokenSummary, "expires_at">, now: Date): string {
  if (expires_at === null) return "no expiry";
  return `${new Date(expires_at) > now ? "until" : "expired"} ${formatDay(expires_at)}`;
}

/** The details of an event: `visibility: public to private`. */
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

/** `At 02:30 UTC, every day`; `null` if invalid. Five fields, as on the server. */
export function cronText(cron: string): string | null {
  if (cron.trim().split(/\s+/).length !== 5) return null;
  try {
    const words = inWords(cron, { use24HourTimeFormat: true, verbose: true });
    // The zone follows the last time of day.
    return upperFirst(words.replace(/(\d\d:\d\d)(?!.*\d\d:\d\d)/, "$1 UTC"));
  } catch {
    return null;
  }
}
