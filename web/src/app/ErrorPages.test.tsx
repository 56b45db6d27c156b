/** Failed loads. */
import { CancelledError, QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { open, withoutEvents } from "@/test/app";
import { mockServer } from "@/test/server";

mockServer();
withoutEvents();
afterEach(() => vi.restoreAllMocks());

it("a page whose request was cancelled loads again", async () => {
  vi.spyOn(QueryClient.prototype, "ensureQueryData").mockRejectedValueOnce(new CancelledError());
  await open("/libfoo/machines");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("machines stable");
});
