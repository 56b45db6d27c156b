/**
 * A dialog above the page. It is open as long as it is there; the browser gives the focus to the first thing in it, keeps
 * it there, closes it with Escape, and gives the focus back.
 */
import { type MouseEvent, type ReactNode, useLayoutEffect, useRef } from "react";

type Props = {
  label: string;
  className?: string;
  onClosed: () => void;
  children: ReactNode;
};

export function Modal({ label, className = "", onClosed, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef(onClosed);
  latest.current = onClosed;
  // Before it is taken away, because only then the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    // Told a moment later: it may be open again.
    const closed = () => {
      if (!element.open) latest.current();
    };
    element.showModal();
    element.addEventListener("close", closed);
    // With Escape at once, so that the next key is the page's again.
    const cancelled = (event: Event) => {
      event.preventDefault();
      latest.current();
    };
    element.addEventListener("cancel", cancelled);
    return () => {
      element.removeEventListener("close", closed);
      element.removeEventListener("cancel", cancelled);
      element.close();
    };
  }, []);
  // What is clicked is the dialog itself where its content is not: beside it.
  const onClick = ({ target, currentTarget }: MouseEvent<HTMLDialogElement>) => {
    if (target === currentTarget) currentTarget.close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard it closes with Escape.
    <dialog ref={dialog} className={`dialog ${className}`} aria-label={label} onClick={onClick}>
      <div className="dialog-content">{children}</div>
    </dialog>
  );
}
