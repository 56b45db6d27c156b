/** All keys: those of the page that is open, and those of all pages. `?` shows it. */
import { Facts } from "@/components/ui/Facts";
import { Modal } from "@/components/ui/Modal";
import { show } from "@/lib/overlays";
import { keyName, turnKeys, useAreKeysOn, useKeyMaps } from "@/lib/useKeys";
import { FIXED_KEYS } from "./keys";

export function KeyList() {
  const maps = useKeyMaps();
  const areOn = useAreKeysOn();
  return (
    <Modal label="Keys" className="key-list" onClosed={() => show(null)}>
      <div className="key-maps">
        {maps.map(({ title, keys, isEverywhere }) => (
          <section key={title}>
            <h2>{title}</h2>
            <Facts
              wide
              facts={[
                ...keys.map(([key, what]): [string, string] => [key, what]),
                ...(isEverywhere === true ? FIXED_KEYS : []),
              ].map(([key, what]) => ({ name: key.split(" ").map(keyName).join(" "), value: what }))}
            />
          </section>
        ))}
      </div>
      <form method="dialog" className="controls">
        <button type="submit" className="button">
          Close
        </button>
        <label className="field">
          <input type="checkbox" checked={areOn} onChange={({ target }) => turnKeys(target.checked)} />
          keys without Ctrl work, in this browser
        </label>
      </form>
    </Modal>
  );
}
