/** A few links or buttons behind a word. It closes with Escape, and with a click anywhere, also within. */
import { type ReactNode, useEffect, useRef } from "react";

export function Menu({ label, children }: { label: string; children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = () => details.current?.removeAttribute("open");
    const onClick = ({ target }: MouseEvent) => {
      const summary = details.current?.querySelector("summary");
      if (!(target instanceof Node) || summary?.contains(target) !== true) close();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape" || details.current?.open !== true) return;
      close();
      details.current.querySelector("summary")?.focus();
    };
    document.addEventListener("click", onClick);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("click", onClick);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
  return (
    <details className="menu" ref={details}>
      <summary>{label}</summary>
      <div className="menu-items">{children}</div>
    </details>
  );
}
