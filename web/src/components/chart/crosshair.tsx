/**
 * Where the reader points, shared by all charts of a scope: each draws its own crosshair there. It is kept outside of what
 * React renders, so that a movement redraws the crosshairs and no chart.
 */
import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from "react";

/** A position on the horizontal axis, and the chart that the pointer is over. */
export type Crosshair = { x: number; source: string };

class CrosshairStore {
  #current: Crosshair | null = null;
  readonly #listeners = new Set<() => void>();

  readonly get = () => this.#current;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly point = (to: Crosshair | null) => {
    if (to?.x === this.#current?.x && to?.source === this.#current?.source) return;
    this.#current = to;
    for (const listener of this.#listeners) listener();
  };
}

const Scope = createContext(new CrosshairStore());

/** Charts within have one crosshair. */
export function CrosshairScope({ children }: { children: ReactNode }) {
  const [store] = useState(() => new CrosshairStore());
  return <Scope value={store}>{children}</Scope>;
}

/** Where the reader points, followed; `null` while nowhere. */
export function useCrosshair(): Crosshair | null {
  const { subscribe, get } = useContext(Scope);
  return useSyncExternalStore(subscribe, get);
}

/** Says where the reader points. */
export function usePoint(): (to: Crosshair | null) => void {
  return useContext(Scope).point;
}
