/** Renders the whole application at an address. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { beforeEach, vi } from "vitest";
import { createAppRouter } from "@/app/router";

/** Replaces the event stream, which jsdom lacks, during the tests of a file. */
export function withoutEvents(): void {
  beforeEach(() => {
    const Events = class extends EventTarget {
      close() {}
    };
    vi.stubGlobal("EventSource", Events);
  });
}

/** Opens a page, and waits for its heading. */
export async function open(path: string): Promise<void> {
  window.history.pushState({}, "", path);
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createAppRouter(queryClient);
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1 });
}
