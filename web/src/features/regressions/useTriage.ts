/** Changes regressions, and restores their previous values on request. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Regression, RegressionChange } from "@/api/types";
import { triage } from "@/api/writes";
import type { KeyAction } from "@/lib/useKeys";
import { doneText, undoOf } from "./data";

type Update = { regressions: readonly Regression[]; change: RegressionChange };

/** The last change, until it is undone or dismissed. */
export type Done = { text: string; undo: () => void; dismiss: () => void };

export function useTriage(project: string) {
  const queryClient = useQueryClient();
  const [done, setDone] = useState<Update | null>(null);
  const refetch = () =>
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [path] }) => String(path).startsWith("/api/v1/projects/{project}/regressions"),
    });
  const changing = useMutation({
    mutationFn: ({ regressions, change }: Update) =>
      triage(
        project,
        regressions.map(({ regression_id }) => regression_id),
        change,
      ),
    onSuccess: (_, update) => setDone(update),
    // Also after a failure: earlier ones in the list may have changed.
    onSettled: refetch,
  });
  const undoing = useMutation({
    mutationFn: async ({ regressions, change }: Update) => {
      for (const regression of regressions) {
        await triage(project, [regression.regression_id], undoOf(regression, change));
      }
    },
    onSuccess: () => setDone(null),
    onSettled: refetch,
  });
  return {
    ...changing,
    error: changing.error ?? undoing.error,
    isPending: changing.isPending || undoing.isPending,
    done:
      done === null
        ? null
        : {
            text: doneText(done.change, done.regressions.length),
            undo: () => undoing.mutate(done),
            dismiss: () => setDone(null),
          },
  };
}

export type Triage = ReturnType<typeof useTriage>;

/** The shortcuts of triage. */
export function triageKeys(apply: (change: RegressionChange) => void, done: Done | null): KeyAction[] {
  return [
    ["a", "acknowledge", () => apply({ state: "acknowledged" })],
    ["f", "mark fixed", () => apply({ state: "fixed" })],
    ["i", "not a regression", () => apply({ state: "invalid" })],
    ["n", "reset to new", () => apply({ state: "new" })],
    ["u", "undo", () => done?.undo()],
  ];
}
