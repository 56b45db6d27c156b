/** Requests advice while sizes change, with limited rate. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type AdviceAsked, adviceQuery } from "@/api/queries";

/** Minimum interval between requests: a minute of dragging stays below the server limit of 600 requests. */
const INTERVAL_MS = 120;

/**
 * The newest advice; no request if `wanted` is null. The next request starts after the previous one: cancelling it would
 * leave a drag without answers until it ends.
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
