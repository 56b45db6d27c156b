/** Says what becomes of regressions, and asks again for what is shown. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { triage } from "@/api/triage";
import type { RegressionChange } from "@/api/types";

type Said = { ids: readonly number[]; change: RegressionChange };

export function useTriage(project: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, change }: Said) => triage(project, ids, change),
    // Also after a failure: those before the one that was refused have changed.
    onSettled: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind === "regressions" || kind === "regression",
      }),
  });
}
