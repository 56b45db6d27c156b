/** What is open above the page, for all that open it: the header, keys, and pages that offer it. One at a time. */
import { useSyncExternalStore } from "react";

/** The palette, the list of saved views, the list of keys. */
export type Overlay = "palette" | "views" | "keys";

const listeners = new Set<() => void>();
let current: Overlay | null = null;

/** Opens one in place of another, or none. */
export function show(overlay: Overlay | null): void {
  current = overlay;
  for (const listener of listeners) listener();
}

/** Whether any is open, or about to be. */
export function isShown(): boolean {
  return current !== null;
}

/** What is open, followed. */
export function useOverlay(): Overlay | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
