/** Says what becomes of regressions, and asks again for what is shown. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RegressionChange } from "@/api/types";
import { triage } from "@/api/writes";

type Said = { ids: readonly number[]; change: RegressionChange };

export function useTriage(project: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, change }: Said) => triage(project, ids, change),
    // Also after a failure: those before the one that was refused have changed.
    onSettled: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          String(path).startsWith("/api/v1/projects/{project}/regressions"),
      }),
  });
}
