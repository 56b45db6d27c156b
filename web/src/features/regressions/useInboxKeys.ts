/** The inbox by keyboard. Keys with a modifier, and those that are typed into a field, are not meant for it. */
import { type RefObject, useEffect, useRef } from "react";
import type { RegressionState } from "@/api/types";

/** What each key does, in the words of the list that `?` shows. */
export const KEYS = [
  ["j", "next"],
  ["k", "previous"],
  ["x", "select, or not"],
  ["Enter", "open"],
  ["a", "acknowledge"],
  ["f", "fixed"],
  ["i", "no regression"],
  ["n", "new again"],
  ["?", "this list"],
] as const;

const STATES: Record<string, RegressionState> = { a: "acknowledged", f: "fixed", i: "invalid", n: "new" };

type Does = {
  move: (by: number) => void;
  toggle: () => void;
  open: () => void;
  say: (state: RegressionState) => void;
};

/** Listens for as long as the page is there; the list of keys is the dialog that this is bound to. */
export function useInboxKeys(does: Does): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef(does);
  latest.current = does;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyped(target) || dialog.current?.open) return;
      const { move, toggle, open, say } = latest.current;
      const state = STATES[key];
      if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
      else if (key === "x") toggle();
      else if (key === "Enter" && target === document.body) open();
      else if (key === "?") dialog.current?.showModal();
      else if (state !== undefined) say(state);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return dialog;
}

function isTyped(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), select, textarea");
}
