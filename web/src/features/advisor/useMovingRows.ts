/** Has the rows of a table move to their new places, for who does not mind motion. */
import { type RefObject, useLayoutEffect, useRef } from "react";

const MOVE_MS = 260;
const STILL = "(prefers-reduced-motion: reduce)";

/** Rows are told apart by their `data-key`; `order` is their keys, which say when they may have moved. */
export function useMovingRows(body: RefObject<HTMLTableSectionElement | null>, order: string): void {
  const tops = useRef(new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order is what moves the rows.
  useLayoutEffect(() => {
    const before = tops.current;
    tops.current = new Map();
    const isStill = window.matchMedia?.(STILL).matches ?? true;
    for (const row of body.current?.rows ?? []) {
      const key = row.dataset.key ?? "";
      const [was, is] = [before.get(key), row.offsetTop];
      tops.current.set(key, is);
      if (isStill || was === undefined || was === is) continue;
      row.animate([{ transform: `translateY(${was - is}px)` }, { transform: "none" }], {
        duration: MOVE_MS,
        easing: "ease-out",
      });
    }
  }, [order, body]);
}
