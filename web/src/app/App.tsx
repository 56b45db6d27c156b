/** The application: one cache for the server's answers, one router. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "@/api/errors";
import { createAppRouter } from "./router";

const FRESH_MS = 15_000;
const RETRIES_MAX = 2;

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
