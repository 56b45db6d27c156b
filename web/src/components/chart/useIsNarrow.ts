/** Whether the screen is too narrow for line names. */
import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 40rem)";

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, isNarrow);
}

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}

function isNarrow(): boolean {
  return window.matchMedia(NARROW).matches;
}
