/** React hooks shared by pages. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { startTransition, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { paths } from "@/api/schema.gen";
import { present } from "./search";

const PERIOD_MS = 30_000;

export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), PERIOD_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A debounced value. */
export function useSettled<T>(value: T, delay_ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay_ms);
    return () => clearTimeout(timer);
  }, [value, delay_ms]);
  return settled;
}

/** The last value that was not `null`. */
export function useLast<T>(value: T | null): T | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return last.current;
}

/**
 * The value at the last painted frame. What takes long to draw follows this instead of the value, so that the browser
 * first shows its reaction to an input. `useDeferredValue` does not wait for a frame.
 */
export function usePainted<T>(value: T): T {
  const [painted, setPainted] = useState({ value });
  const latest = useRef(value);
  latest.current = value;
  const isWaiting = useRef(false);
  useEffect(() => {
    if (isWaiting.current || latest.current === painted.value) return;
    isWaiting.current = true;
    afterPaint(() => {
      isWaiting.current = false;
      startTransition(() => setPainted({ value: latest.current }));
    });
  });
  return painted.value;
}

/** Calls a function in the task after the next frame. */
function afterPaint(then: () => void) {
  requestAnimationFrame(() => setTimeout(then));
}

/** Browsers limit how often the address can change. */
const REST_MS = 250;

/** A draft of a value. After a pause, it is written with `write` and then dropped. */
export function useDrafted<T>(
  written: T,
  write: (value: T) => Promise<void>,
): [T, (value: T | null) => void] {
  const [draft, setDraft] = useState<{ value: T } | null>(null);
  const latest = useRef(write);
  latest.current = write;
  useEffect(() => {
    if (draft === null) return;
    const timer = setTimeout(async () => {
      await latest.current(draft.value);
      setDraft((current) => (current === draft ? null : current));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return [draft === null ? written : draft.value, (value) => setDraft(value === null ? null : { value })];
}

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** Sets the document's title while a page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Roundtrip`;
  }, [title]);
}

/**
 * A mutation that then refetches the queries of some paths, and calls `onDone` unless the component was unmounted.
 */
export function useChange<Variables, Answer>(
  change: (variables: Variables) => Promise<Answer>,
  old: readonly (keyof paths)[],
  onDone?: (answer: Answer) => unknown,
) {
  const queryClient = useQueryClient();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useMutation({
    mutationFn: change,
    onSuccess: async (answer) => {
      await Promise.all(old.map((path) => queryClient.invalidateQueries({ queryKey: [path] })));
      if (isShown.current) onDone?.(answer);
    },
  });
}

/** Changes the page state in the address; `undefined` removes a key. Adds a history entry only with `replace: false`. */
export function useSearchChange<Search extends object>() {
  const navigate = useNavigate();
  return useCallback(
    (change: { [Key in keyof Search]?: Search[Key] | undefined }, { replace = true } = {}) =>
      navigate({
        to: ".",
        search: (previous) => present({ ...previous, ...change }) as never,
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
}
