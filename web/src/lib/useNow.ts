/** The current time, renewed often enough for "2 min ago" to stay true. */
import { useEffect, useState } from "react";

const PERIOD_MS = 30_000;

export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), PERIOD_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
