/** A value that changes faster than addresses may: it holds at once, and is in the address when it has come to rest. */
import { useEffect, useRef, useState } from "react";

/** Browsers refuse addresses that change more often than a few times a second. */
const REST_MS = 250;

/**
 * What holds now, and how to change it. `write` is called with what came to rest, and the draft is left once it is done.
 */
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
