/** The keys of the inbox, shown by `?`. */
import type { RefObject } from "react";
import { Facts } from "@/components/ui/Facts";
import { KEYS } from "../useInboxKeys";

export function KeyMap({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <>
      <p className="section section-note">
        <button type="button" className="text-button" onClick={() => dialog.current?.showModal()}>
          Keys: <kbd>?</kbd>
        </button>
      </p>
      <dialog ref={dialog} className="dialog" aria-label="Keys">
        <Facts facts={KEYS.map(([key, value]) => ({ name: key, value }))} />
        <form method="dialog">
          <button type="submit" className="button">
            Close
          </button>
        </form>
      </dialog>
    </>
  );
}
