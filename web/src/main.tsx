/** The entry point. */
import "@/styles/index.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "@/api/errors";
import { createAppRouter } from "@/app/router";
import { applyTheme } from "@/lib/theme";

applyTheme();
// Before there is text, so that lines do not move; after the scripts, so that these are not later.
void document.fonts.load("1em 'Inter Variable'");

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id `root`.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

const FRESH_MS = 15_000;
const RETRIES_MAX = 2;

/** The application: one query cache, one router. */
export function App() {
  const [{ queryClient, router }] = useState(() => {
    const queryClient = createQueryClient();
    return { queryClient, router: createAppRouter(queryClient) };
  });
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES_MAX && error instanceof ApiError && error.isTransient,
      },
    },
  });
}
