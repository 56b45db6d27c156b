/** Asks for advice while what it is about is dragged: seldom enough for the server, and with an answer to see all the time. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type AdviceAsked, adviceQuery } from "@/api/queries";

/** From one question to the next, at least: so a stranger who drags for a minute stays below the 600 requests that the server grants. */
const INTERVAL_MS = 120;

/**
 * The newest advice; nothing is asked for while nothing is wanted. What is wanted next is asked for once the question before
 * is answered: were that given up for the next one, a drag would see no answer until it ends.
 */
export function useAdvice(project: string, wanted: AdviceAsked | null) {
  const key = wanted === null ? null : JSON.stringify(wanted);
  const [asked, setAsked] = useState(key);
  const askedAt = useRef(0);
  const query = useQuery({
    ...adviceQuery(project, asked === null ? { by: "p50" } : JSON.parse(asked)),
    enabled: asked !== null,
  });
  const { isFetching } = query;
  useEffect(() => {
    if (isFetching || key === null || key === asked) return;
    const ask = () => {
      askedAt.current = Date.now();
      setAsked(key);
    };
    const timer = setTimeout(ask, Math.max(0, askedAt.current + INTERVAL_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [key, asked, isFetching]);
  return { ...query, isBehind: query.isPlaceholderData || key !== asked };
}

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
