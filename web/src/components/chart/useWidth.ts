/** The width of an element. */
import { useLayoutEffect, useRef, useState } from "react";

/** The width of the element with the returned reference; 0 until it is known, which is before the first paint. */
export function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width_px, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setWidth(Math.round(element.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { frame, width_px };
}
