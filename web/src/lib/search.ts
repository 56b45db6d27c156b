/** Reads page state from a URL's query. Invalid values are ignored, so a damaged link still opens the page. */

/** A query as the router parsed it, unvalidated. */
export type RawSearch = Record<string, unknown>;

type Reader = (value: unknown) => unknown;

export function searchOf<Readers extends Record<string, Reader>>(readers: Readers) {
  return (raw: RawSearch): Present<{ [Key in keyof Readers]: ReturnType<Readers[Key]> }> => {
    const values = Object.entries(readers).map(([key, read]) => [key, read(raw[key])]);
    return present(Object.fromEntries(values));
  };
}

export function oneOf<const T extends string | number>(allowed: readonly T[]) {
  return (value: unknown): T | undefined => allowed.find((candidate) => candidate === value);
}

export function flag(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

/** A lower-case identifier, such as those of transports, modes and machines. */
export function slug(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? value : undefined;
}

/** Identifiers separated by dots. Invalid ones are left out. */
export function slugs(value: unknown): string | undefined {
  return typeof value === "string" ? joined(slugsOf(value.slice(0, 2000))) : undefined;
}

/** The identifiers in a text from `slugs`. */
export function slugsOf(value: string | undefined): string[] {
  return (value?.split(".") ?? []).filter((name) => slug(name) !== undefined);
}

export function slugOf(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Joins identifiers; `undefined` for none. */
export function joined(names: string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(".");
}

/** A text from `slugs` with an identifier added, or removed if it was there. */
export function withToggled(value: string | undefined, name: string): string | undefined {
  const names = slugsOf(value);
  return joined(names.includes(name) ? names.filter((other) => other !== name) : [...names, name]);
}

export function commitSha(value: unknown): string | undefined {
  return typeof value === "string" && /^[0-9a-f]{40}$/.test(value) ? value : undefined;
}

/** Free text of limited length. The router parses digits as a number. */
export function text(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const trimmed = String(value).slice(0, 100);
  return trimmed === "" ? undefined : trimmed;
}

export function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function uuid(value: unknown): string | undefined {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
    ? value
    : undefined;
}

export function cursor(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z0-9_-]{1,1000}$/.test(value) ? value : undefined;
}

/** Removes absent values, so that they stay out of the URL. */
export function present<T extends Record<string, unknown>>(values: T): Present<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}

/** Every value optional, none of them `undefined`. */
export type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The page after signing in: a path on this server, never another site. The server has the same rule. */
const LENGTH_MAX = 2048;

/**
 * The path in a value; `undefined` if it is not one. Browsers read a backslash as a slash, ignore tabs and line breaks,
 * and read two slashes as the beginning of a host.
 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > LENGTH_MAX) return undefined;
  return /^\/(?!\/)[!-[\]-~]*$/.test(value) ? value : undefined;
}
