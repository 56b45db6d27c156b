/** Mocks for charts, which jsdom lacks: sizes, media queries, canvases and scrolling. */
import { afterEach, beforeEach, vi } from "vitest";

/** Gives every element this size during the tests of a file. */
export function withLayout(width: number, height: number): void {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(
      new DOMRect(0, 0, width, height),
    );
    vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    vi.stubGlobal(
      "ResizeObserver",
      class {
        observe() {}
        unobserve() {}
        disconnect() {}
      },
    );
    window.scrollTo = () => {};
    Element.prototype.scrollIntoView = () => {};
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}
