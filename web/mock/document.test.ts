/** Every read of the interface in the API document has a mock with a valid response. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { getResponse, type RequestHandler } from "msw";
import { expect, it } from "vitest";
import { STATES, UNUSED_READS } from "./endpoint";
import { mockApi } from "./handlers";
import { READS } from "./reads";

type Schema = Record<string, unknown>;
type Parameter = { name: string; in: string; required?: boolean };
type Response = { content?: Record<string, { schema: Schema }>; $ref?: string };
type Read = { parameters?: Parameter[]; responses: Record<string, Response> };
type Document = { paths: Record<string, { get?: Read }>; components: { schemas: Record<string, Schema> } };

const FILE = new URL("../../server/openapi.json", import.meta.url);
const document: Document = JSON.parse(readFileSync(FILE, "utf8"));
const reads = Object.entries(document.paths).flatMap(([path, { get }]) =>
  get === undefined || UNUSED_READS.some((unused) => unused === path)
    ? []
    : ([[path, get]] as [string, Read][]),
);

const { world, handlers } = mockApi();
const newest = world.runs[0]?.run_id ?? "";
const imported = world.runs.find(({ preset }) => preset === "import")?.run_id ?? "";

/** Example parameters. A missing required parameter fails the test. */
const EXAMPLES: Record<string, string> = {
  base: world.commits.at(-20)?.sha ?? "",
  code: "0123456789",
  head: world.commits.at(-1)?.sha ?? "",
  job_id: "4",
  machine: "lab-linux-1",
  over: "message_bytes",
  project: world.project,
  reference: "freebsd-pipes-and-sockets",
  regression_id: "1",
  run_id: newest,
  scenario: "roundtrip",
  series: "1",
  series_id: String(
    world.series.find(({ machine }) => machine.machine === world.runs[0]?.machine)?.summary.series_id,
  ),
  sha: world.commits.at(-1)?.sha ?? "",
};

const OF_PATH: Record<string, Record<string, string>> = {
  "/api/v1/runs/{run_id}/original": { run_id: imported },
};

/** Further addresses, for other shapes of responses: imports, other runs, all options. */
const FURTHER: Record<string, string[]> = {
  "/api/v1/charts/budget": [`series=${everySeries()}&last=1`],
  "/api/v1/charts/changes": [`series=${everySeries()}`],
  "/api/v1/charts/line": [`series=${everySeries()}&quantiles=min,p50,p999&repetitions=false`],
  "/api/v1/points": [`series=${everySeries()}`],
  "/api/v1/projects/{project}/charts/sweep": ["over=peers&machine=lab-arm-1&scenario=route"],
  "/api/v1/projects/{project}/compare": [`base=${world.commits.at(-5)?.sha}&head=${newest}`],
  "/api/v1/projects/{project}/series": ["limit=1000"],
};

function everySeries(): string {
  return world.series.map(({ summary }) => summary.series_id).join(",");
}

function addressOf(path: string, { parameters = [] }: Read): string {
  const example = ({ name }: Parameter) => {
    const value = OF_PATH[path]?.[name] ?? EXAMPLES[name];
    if (value === undefined)
      throw new Error(`EXAMPLES has nothing for the parameter ${name} of ${path}: add it.`);
    return encodeURIComponent(value);
  };
  const needed = parameters.filter(({ required }) => required === true);
  const filled = needed.reduce(
    (address, entry) => (entry.in === "path" ? address.replace(`{${entry.name}}`, example(entry)) : address),
    path,
  );
  const query = needed
    .filter((entry) => entry.in === "query")
    .map((entry) => `${entry.name}=${example(entry)}`);
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

/** Merges schemas of `allOf`: separately, each would reject properties of the others. */
function merged(parts: Schema[]): Schema {
  const whole = parts.map((part) =>
    typeof part.$ref === "string"
      ? (document.components.schemas[part.$ref.split("/").at(-1) ?? ""] ?? {})
      : part,
  );
  return {
    type: "object",
    required: whole.flatMap(({ required }) => required ?? []),
    properties: Object.assign({}, ...whole.map(({ properties }) => properties)),
  };
}

/** The document without additional properties, to find renamed fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  if ("allOf" in schema) return closed(merged(schema.allOf as Schema[]));
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = "properties" in copy && copy.type === "object" && !("additionalProperties" in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

const formats = Object.fromEntries(["int32", "int64", "float", "double", "date"].map((name) => [name, true]));
const ajv = new Ajv2020({
  strict: false,
  formats: {
    ...formats,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    "date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/,
  },
});
ajv.addSchema(closed(document) as Schema, "document");

function complaints(pointer: string, body: string): string[] {
  const validate = ajv.getSchema(`document#${pointer}`);
  if (validate === undefined) throw new Error(`The document has no ${pointer}.`);
  validate(JSON.parse(body));
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

type Answer = { status: number; type: string; body: string };

function complaintsOf(path: string, { responses }: Read, { status, type, body }: Answer): string[] {
  const { content } = responses[String(status)] ?? {};
  if (responses[String(status)] === undefined) return [`has the undocumented status ${status}`];
  if (content === undefined) return [];
  if (content[type] === undefined) return [`has the undocumented type ${type}`];
  if (type !== "application/json") return [];
  const escaped = path.replaceAll("~", "~0").replaceAll("/", "~1");
  return complaints(
    `/paths/${encodeURIComponent(escaped)}/get/responses/${status}/content/application~1json/schema`,
    body,
  );
}

async function get(of: RequestHandler[], url: string): Promise<Answer> {
  const answer = await getResponse(of, new Request(new URL(url, "http://mock")));
  if (answer === undefined) throw new Error(`The mock leaves ${url} to others.`);
  const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
  // An event stream never ends.
  return { status: answer.status, type, body: type === "text/event-stream" ? "" : await answer.text() };
}

it("has a mock for every read of the interface, and no others", () => {
  expect(Object.keys(READS).sort()).toEqual(reads.map(([path]) => path).sort());
});

it.each(reads)("responds to %s as documented", async (path, read) => {
  const address = addressOf(path, read);
  const further = (FURTHER[path] ?? []).map((query) => `${address.split("?")[0]}?${query}`);
  for (const url of [address, ...further]) {
    const answer = await get(handlers, url);
    expect(answer.status, `${url}: ${answer.body}`).toBeLessThan(400);
    expect(complaintsOf(path, read, answer), url).toEqual([]);
  }
});

it("responds for every run as documented", async () => {
  const path = "/api/v1/runs/{run_id}";
  const read = document.paths[path]?.get as Read;
  for (const { run_id } of world.runs) {
    expect(complaintsOf(path, read, await get(handlers, `/api/v1/runs/${run_id}`)), run_id).toEqual([]);
  }
});

it.each(STATES.filter((state) => state !== "usual" && state !== "slow"))(
  "responds with a reason in the state %s",
  async (state) => {
    const other = mockApi(state).handlers;
    for (const [path, read] of reads) {
      const answer = await get(other, addressOf(path, read));
      if (answer.status < 400) expect(complaintsOf(path, read, answer), path).toEqual([]);
      else expect(complaints("/components/schemas/Problem", answer.body), path).toEqual([]);
    }
  },
);
