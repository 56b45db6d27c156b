/** The page of a series on a server. */
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, it } from "vitest";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";
import { World } from "../../mock/world/world";

const { server } = mockServer();
withLayout(720, 300);
withoutEvents();

it("loads only the pinned points if the details of a run fail", async () => {
  const queries: URLSearchParams[] = [];
  server.events.on("request:start", ({ request }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/v1/points") queries.push(searchParams);
  });
  server.use(
    http.get("*/api/v1/runs/:run_id/series/:series_id", () => HttpResponse.json(null, { status: 500 })),
  );
  const [run] = new World().runs.filter(({ machine }) => machine === "lab-linux-1");
  await open(`/libfoo/series/1?run=${run?.run_id}`);
  const pinned = await screen.findByRole("complementary", { name: "Pinned point" });
  await waitFor(() => expect(within(pinned).getAllByRole("heading").length).toBeGreaterThan(0));
  await waitFor(() => expect(queries.length).toBeGreaterThan(0));
  expect(queries.filter((query) => query.get("from") === null)).toEqual([]);
});
