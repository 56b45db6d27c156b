/**
 * Mocks the API in the development server: `npm run dev:mock`. It is in no build. `MOCK_STATE` selects the state.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { getResponse } from "msw";
import type { Plugin } from "vite";
import { stateOf } from "./endpoint";

export function mockServer(): Plugin {
  const state = stateOf(process.env.MOCK_STATE);
  return {
    name: "roundtrip:mock-server",
    apply: "serve",
    configureServer(server) {
      type Module = typeof import("./handlers");
      let loaded: Module | undefined;
      let api: ReturnType<Module["mockApi"]> | undefined;
      server.middlewares.use((request, response, next) => {
        const answering = async () => {
          // Loaded through the server, so that edits take effect. An edit resets the data.
          const module = (await server.ssrLoadModule("/mock/handlers.ts")) as Module;
          if (api === undefined || loaded !== module) api = module.mockApi(state);
          loaded = module;
          const answer = await getResponse(api.handlers, await requestOf(request));
          if (answer === undefined) next();
          else send(response, answer);
        };
        answering().catch(next);
      });
    },
  };
}

async function requestOf(request: IncomingMessage): Promise<Request> {
  const { method = "GET", url = "/" } = request;
  const parts: Buffer[] = [];
  if (request.headers["content-type"] === "application/json") {
    for await (const part of request) parts.push(part as Buffer);
  }
  const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
  return new Request(new URL(url, "http://mock"), { method, ...body });
}

function send(response: ServerResponse, { status, headers, body }: Response): void {
  response.writeHead(status, { "cache-control": "no-store", ...Object.fromEntries(headers) });
  if (body === null) response.end();
  else Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
}
