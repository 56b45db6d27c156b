/** Shows a part of a page as the application would: with a cache of answers, and with addresses to lead to. */
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";

/** Shows it once the answers in `known` are there; returns its first heading. */
export async function showPage(page: ReactNode, known: [QueryKey, unknown][] = []): Promise<HTMLElement> {
  // The browser of the tests does not scroll, and complains when it is asked to.
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
