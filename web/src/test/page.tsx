/** Renders a part of a page with a query cache and a router. */
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";

/** Renders it with the data in `known`; returns its first heading. */
export async function showPage(page: ReactNode, known: [QueryKey, unknown][] = []): Promise<HTMLElement> {
  // jsdom does not implement scrolling, and logs an error.
  window.scrollTo = () => {};
  const queryClient = new QueryClient();
  for (const [key, answer] of known) queryClient.setQueryData(key, answer);
  const routeTree = createRootRoute({ component: () => page });
  const router = createRouter({ routeTree, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  const [heading] = await screen.findAllByRole("heading");
  if (heading === undefined) throw new Error("The page has no heading.");
  return heading;
}
