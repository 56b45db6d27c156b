/** The open overlay, at most one. */
import { useSyncExternalStore } from "react";
import { createSignal } from "./signal";

/** Search, the pages on phones, saved views, keyboard shortcuts. */
type Overlay = "palette" | "menu" | "views" | "keys";

const { subscribe, notify } = createSignal();
let current: Overlay | null = null;

export function show(overlay: Overlay | null): void {
  current = overlay;
  notify();
}

export function isShown(): boolean {
  return current !== null;
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => current);
}
