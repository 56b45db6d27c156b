/** A modal dialog, open while mounted. The browser manages the focus and closes it with Escape. */
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
  // A layout effect, so the dialog closes before it is removed: only then the browser restores the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    // The event arrives later: the dialog may be open again.
    const closed = () => {
      if (!element.open) latest.current();
    };
    element.showModal();
    element.addEventListener("close", closed);
    // On Escape, close immediately, so the page gets the next key.
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
  // A click outside the content hits the dialog element itself.
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
