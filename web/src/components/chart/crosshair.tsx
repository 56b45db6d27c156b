/**
 * The crosshair shared by all charts of a scope. Its state is outside React, so that movements do not re-render
 * charts.
 */
import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from "react";
import { createSignal } from "@/lib/signal";

/** A position on the horizontal axis, and the chart that the pointer is over. */
export type Crosshair = { x: number; source: string };

function createStore() {
  const { subscribe, notify } = createSignal();
  let current: Crosshair | null = null;
  const point = (to: Crosshair | null) => {
    if (to?.x === current?.x && to?.source === current?.source) return;
    current = to;
    notify();
  };
  return { subscribe, point, get: () => current };
}

const Scope = createContext(createStore());

export function CrosshairScope({ children }: { children: ReactNode }) {
  const [store] = useState(createStore);
  return <Scope value={store}>{children}</Scope>;
}

/** Subscribes to the crosshair; `null` without one. */
export function useCrosshair(): Crosshair | null {
  const { subscribe, get } = useContext(Scope);
  return useSyncExternalStore(subscribe, get);
}

export function usePoint(): (to: Crosshair | null) => void {
  return useContext(Scope).point;
}
