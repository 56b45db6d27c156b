/** A button whose deed cannot be taken back: it asks once more, in a dialog that says what will happen. */
import { type ReactNode, useId, useRef } from "react";

type Props = {
  /** What it does, on the button: `Revoke`. */
  label: string;
  /** To tell it from others alike: `Revoke lab-3`. */
  name: string;
  question: string;
  children: ReactNode;
  isBusy: boolean;
  onConfirm: () => void;
  className?: string;
};

export function Confirm({
  label,
  name,
  question,
  children,
  isBusy,
  onConfirm,
  className = "text-button",
}: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const confirm = () => {
    dialog.current?.close();
    onConfirm();
  };
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={name}
        disabled={isBusy}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} className="dialog confirm" aria-labelledby={id}>
        <p id={id} className="strong">
          {question}
        </p>
        <p>{children}</p>
        <div className="controls">
          <button type="button" className="button" onClick={confirm}>
            {label}
          </button>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Keep
          </button>
        </div>
      </dialog>
    </>
  );
}
