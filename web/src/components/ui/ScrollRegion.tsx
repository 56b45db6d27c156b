/** Scrolls what is wider than the screen, so that the page itself never does. Reachable by keyboard. */
import type { ReactNode } from "react";

export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus the keyboard could not scroll it.
    <section className="scroll" aria-label={`${label}, table`} tabIndex={0}>
      {children}
    </section>
  );
}
