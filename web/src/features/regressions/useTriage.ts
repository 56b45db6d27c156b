/** Updates regressions and refetches them. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RegressionChange } from "@/api/types";
import { triage } from "@/api/writes";

type Update = { ids: readonly number[]; change: RegressionChange };

export function useTriage(project: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, change }: Update) => triage(project, ids, change),
    // Also after a failure: earlier ones in the list may have changed.
    onSettled: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          String(path).startsWith("/api/v1/projects/{project}/regressions"),
      }),
  });
}
