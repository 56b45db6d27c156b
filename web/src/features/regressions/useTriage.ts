/** Changes regressions, and restores their previous values on request. */
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { sessionQuery } from "@/api/queries";
import type { Regression, RegressionChange } from "@/api/types";
import { triage } from "@/api/writes";
import { refusal } from "@/lib/access";
import { isSite } from "@/lib/site";
import type { KeyAction } from "@/lib/useKeys";
import { doneText, undoOf } from "./data";

type Update = { regressions: readonly Regression[]; change: RegressionChange; isUndo?: true };

/** The last change, until it is undone or dismissed. */
export type Done = { text: string; undo: () => void; dismiss: () => void };

export function useTriage(project: string) {
  const queryClient = useQueryClient();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [done, setDone] = useState<Update | null>(null);
  const refetch = () =>
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [path] }) => String(path).startsWith("/api/v1/projects/{project}/regressions"),
    });
  const changing = useMutation({
    mutationFn: async ({ regressions, change, isUndo }: Update) => {
      const ids = regressions.map(({ regression_id }) => regression_id);
      if (!isUndo) return triage(project, ids, change);
      for (const regression of regressions) {
        await triage(project, [regression.regression_id], undoOf(regression, change));
      }
    },
    onSuccess: (_, update) => setDone(update.isUndo ? null : update),
    // Also after a failure: earlier ones in the list may have changed.
    onSettled: refetch,
  });
  // One change at a time.
  const mutate: typeof changing.mutate = (...change) => {
    if (!changing.isPending) changing.mutate(...change);
  };
  return {
    ...changing,
    mutate,
    isAllowed: !isSite() && refusal(session, project, "queue") === null,
    done:
      done === null
        ? null
        : {
            text: doneText(done.change, done.regressions.length),
            undo: () => mutate({ ...done, isUndo: true }),
            dismiss: () => setDone(null),
          },
  };
}

export type Triage = ReturnType<typeof useTriage>;

/** The shortcuts of triage; none without permission. */
export function triageKeys(
  apply: (change: RegressionChange) => void,
  { isAllowed, done }: Pick<Triage, "isAllowed" | "done">,
): KeyAction[] {
  if (!isAllowed) return [];
  return [
    ["a", "acknowledge", () => apply({ state: "acknowledged" })],
    ["f", "mark fixed", () => apply({ state: "fixed" })],
    ["i", "not a regression", () => apply({ state: "invalid" })],
    ["n", "reset to new", () => apply({ state: "new" })],
    ["u", "undo", () => done?.undo()],
  ];
}
