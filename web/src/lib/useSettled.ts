/** A value once it has stayed the same for a moment. */
import { useEffect, useState } from "react";

const SETTLED_MS = 120;

export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
