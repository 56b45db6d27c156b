/**
 * Answers the API in the development server, in place of a server of its own: `npm run dev:mock`. No build has it.
 * `MOCK_STATE` names the state of the API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin, ViteDevServer } from "vite";
import type { Plain } from "./endpoint";
import { stateOf } from "./state.ts";

/** Loaded through the server, so that the next request knows what was edited. */
const MODULE = "/mock/answer.ts";

export function mockApi(): Plugin {
  const state = stateOf(process.env.MOCK_STATE);
  return {
    name: "roundtrip:mock-api",
    apply: "serve",
    configureServer(server) {
      const current = apiOf(server, state);
      server.middlewares.use((request, response, next) => {
        const answering = current().then(async (api) => {
          const { method = "GET", url = "/" } = request;
          return api.answer({ method, url, body: await bodyOf(request) });
        });
        answering.then((answer) => (answer === null ? next() : send(response, answer)), next);
      });
    },
  };
}

/** The API as it is written now. An edit makes a new world. */
function apiOf(server: ViteDevServer, state: ReturnType<typeof stateOf>) {
  type Module = typeof import("./answer");
  let of: Module | undefined;
  let api: InstanceType<Module["MockApi"]> | undefined;
  return async () => {
    const module = (await server.ssrLoadModule(MODULE)) as Module;
    if (api === undefined || of !== module) api = new module.MockApi(state);
    of = module;
    return api;
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method === "GET" || request.headers["content-type"] !== "application/json") return undefined;
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}

function send(response: ServerResponse, { status, headers, body, isStream }: Plain): void {
  response.writeHead(status, { "cache-control": "no-store", ...headers });
  if (isStream) response.write(body);
  else response.end(body);
}
