/** The API mock behind `fetch`, with new data for each test. */
import { setupServer } from "msw/node";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { mockApi } from "../../mock/handlers";

/** The server, so that tests can override responses, and the requests sent to it other than reads. */
export function mockServer() {
  const server = setupServer();
  const sent: { method: string; path: string; body: Promise<unknown> }[] = [];
  server.events.on("request:start", ({ request }) => {
    const { method, url } = request;
    const body = request.clone().text();
    if (method !== "GET") {
      sent.push({ method, path: new URL(url).pathname, body: body.then((text) => text && JSON.parse(text)) });
    }
  });
  // jsdom has no dialogs: this opens and closes them.
  beforeAll(() => {
    HTMLDialogElement.prototype.showModal = function () {
      this.open = true;
    };
    HTMLDialogElement.prototype.close = function () {
      this.open = false;
    };
    server.listen({ onUnhandledRequest: "error" });
  });
  beforeEach(() => {
    sent.length = 0;
    server.resetHandlers(...mockApi().handlers);
  });
  afterAll(() => server.close());
  return { server, sent };
}
