import { act, renderHook, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { usePainted } from "./hooks";

it("keeps what is painted until the next frame, then follows the latest value", async () => {
  const frames: FrameRequestCallback[] = [];
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((frame) => frames.push(frame));
  const { result, rerender } = renderHook(usePainted<string>, { initialProps: "first" });
  expect(result.current).toBe("first");
  rerender("second");
  rerender("third");
  expect(result.current).toBe("first");
  expect(frames).toHaveLength(1);
  act(() => frames[0]?.(0));
  await waitFor(() => expect(result.current).toBe("third"));
  expect(frames).toHaveLength(1);
  vi.restoreAllMocks();
});
