/** The inbox by keyboard: moving, selecting, opening, and saying what becomes of what is meant. */
import type { RegressionState } from "@/api/types";
import { useKeys } from "@/lib/useKeys";

type Does = {
  move: (by: number) => void;
  toggle: () => void;
  open: () => void;
  say: (state: RegressionState) => void;
};

export function useInboxKeys({ move, toggle, open, say }: Does): void {
  useKeys({
    title: "Changes",
    keys: [
      ["j", "next", () => move(1)],
      ["k", "previous", () => move(-1)],
      ["x", "select, or not", toggle],
      ["Enter", "open", open],
      ["a", "acknowledge", () => say("acknowledged")],
      ["f", "fixed", () => say("fixed")],
      ["i", "no regression", () => say("invalid")],
      ["n", "new again", () => say("new")],
    ],
  });
}
