/**
 * The type of endpoint mocks: functions from world and request to response. Paths, parameters and responses use the
 * generated types, so that `tsc` finds outdated mocks.
 */
import { HttpResponse } from "msw";
import type { paths } from "@/api/schema.gen";
// `vite.config.ts` loads this file without the alias `@`.
import { listed, Refusal } from "../src/site/endpoint.ts";
import type { World } from "./world/world";

export { listed, Refusal };

type Method = "get" | "post" | "put" | "patch" | "delete";

type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never;
}[keyof paths];

type Operation<Path extends keyof paths, M extends Method> =
  paths[Path] extends Record<M, infer Found> ? Found : never;

type Text<Parameters> = [Parameters] extends [never] ? unknown : { [Name in keyof Parameters]: string };

type Json<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;

type Success<Op> = Op extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends 200 | 201 ? Json<Responses[Status]> : never;
    }[keyof Responses]
  : never;

type Asked<Op> = {
  path: Op extends { parameters: { path: infer P } } ? Text<P> : unknown;
  query: Op extends { parameters: { query?: infer Q } } ? Partial<Text<NonNullable<Q>>> : unknown;
  body: Op extends { requestBody: { content: { "application/json": infer Body } } } ? Body : unknown;
};

type Mock<Path extends keyof paths, M extends Method> = (
  world: World,
  asked: Asked<Operation<Path, M>>,
) => Success<Operation<Path, M>> | Response;

/** Reads of other clients, which have no mocks. */
export const UNUSED_READS = [
  "/api/v1/lab/releases/{file}",
  "/api/v1/projects/{project}/card.png",
  "/api/v1/projects/{project}/merge-base",
  "/api/v1/projects/{project}/oidc-trusts",
  "/api/v1/projects/{project}/openmetrics",
  "/api/v1/projects/{project}/regressions.atom",
  "/api/v1/projects/{project}/regressions/{regression_id}/card.png",
  "/api/v1/projects/{project}/runs.atom",
  "/api/v1/runs/{run_id}/otlp",
  "/api/v1/series/{series_id}/card.png",
  "/api/v1/series/{series_id}/playground",
  "/auth/github/callback",
  "/healthz",
  "/readyz",
] as const satisfies PathsWith<"get">[];

type Used<M extends Method> = Exclude<PathsWith<M>, M extends "get" ? (typeof UNUSED_READS)[number] : never>;

export type Mocks<M extends Method> = { [Path in Used<M>]: Mock<Path, M> };

/** The writes that are implemented. */
export type Writes = { [M in Exclude<Method, "get">]?: Partial<Mocks<M>> };

export const text = (type: string, body: string) =>
  new HttpResponse(body, { headers: { "content-type": type } });

export const nothing = () => new HttpResponse(null, { status: 204 });

export const created = <Body extends object>(body: Body) => HttpResponse.json<object>(body, { status: 201 });

export const redirect = (status: 302 | 303, location: string) =>
  new HttpResponse(null, { status, headers: { location } });

/**
 * Returns the entry.
 *
 * @throws Refusal with status 404 if it was not found.
 */
export function found<Entry>(entry: Entry | undefined, kind: string, name: string | number): Entry {
  if (entry === undefined) {
    throw new Refusal(404, `unknown-${kind}`, "Not found", `There is no ${kind} ${name} in the mock.`);
  }
  return entry;
}

/**
 * The entry with a value in a field.
 *
 * @throws Refusal with status 404 if there is none.
 */
export function entryWith<Key extends string, Entry extends Record<Key, string | number>>(
  entries: readonly Entry[],
  key: Key,
  value: string | number,
): Entry {
  const entry = entries.find((candidate) => String(candidate[key]) === String(value));
  return found(entry, key.replace("_id", ""), value);
}

/** The entries between two optional bounds. */
export function between<Entry>(
  entries: Entry[],
  ordinal: (entry: Entry) => number,
  { from, to }: { from?: string; to?: string },
): Entry[] {
  const [least, most] = [Number(from ?? 0), Number(to ?? Number.POSITIVE_INFINITY)];
  return entries.filter((entry) => ordinal(entry) >= least && ordinal(entry) <= most);
}

/** States of the whole API; `MOCK_STATE` selects one. */
export const STATES = ["usual", "empty", "first", "error", "slow", "forbidden"] as const;
export type State = (typeof STATES)[number];

/**
 * The state by name; `usual` without a name.
 *
 * @throws for an unknown name.
 */
export function stateOf(name: string | undefined): State {
  if (name === undefined || name === "") return "usual";
  const state = STATES.find((known) => known === name);
  if (state === undefined) throw new Error(`MOCK_STATE is ${name}: expected one of ${STATES.join(", ")}.`);
  return state;
}

/** Some fields of an object. */
export function only<Whole, Key extends keyof Whole>(whole: Whole, ...keys: Key[]): Pick<Whole, Key> {
  return Object.fromEntries(keys.map((key) => [key, whole[key]])) as Pick<Whole, Key>;
}
