/** A value once it has not changed for a while: what is typed, when nobody types. */
import { useEffect, useState } from "react";

export function useSettled<T>(value: T, delay_ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay_ms);
    return () => clearTimeout(timer);
  }, [value, delay_ms]);
  return settled;
}
