/**
 * The search over everything: pages, series by the grammar, commits, machines, projects, saved views. A field with a list
 * under it; arrows choose, Enter opens.
 */
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Modal } from "@/components/ui/Modal";
import { show } from "@/lib/overlays";
import { counted } from "@/lib/units";
import { placeAfter } from "./paletteEntries";
import { EXAMPLE } from "./SearchButton";
import { usePalette } from "./usePalette";

type Props = {
  project: string | undefined;
  /** What was typed while this was fetched. */
  typed: RefObject<string>;
};

export function Palette({ project = "", typed }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  /** The entry that was chosen with the arrows; the first one until then. */
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, problem } = usePalette(project, text);
  const entries = groups.flatMap((group) => group.entries);
  const place = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );
  // From when it is open on, what is typed goes into the field.
  useLayoutEffect(() => setText(typed.current), [typed]);
  const active = useRef<HTMLDivElement>(null);
  const activeKey = entries[place]?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entry that it refers to is another one then.
  useEffect(() => {
    active.current?.scrollIntoView({ block: "nearest" });
  }, [activeKey]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = placeAfter(place, event.key === "ArrowDown" ? 1 : -1, entries.length);
      setChosen(entries[next]?.key ?? null);
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      entries[place]?.open();
    }
  };

  return (
    <Modal label="Search" className="palette" onClosed={() => show(null)}>
      <div className="palette-head">
        <input
          role="combobox"
          type="text"
          aria-label="Search"
          aria-autocomplete="list"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-describedby={`${id}-problem`}
          {...(activeKey !== undefined && { "aria-activedescendant": `${id}-${place}` })}
          placeholder={EXAMPLE}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setChosen(null);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className="text-button" onClick={() => show(null)}>
          Close
        </button>
      </div>
      <p className="palette-problem" id={`${id}-problem`} role="status">
        {problem !== null && <span className="warning">{problem}</span>}
        <span className="visually-hidden">{counted(entries.length, "entry", "entries")}</span>
      </p>
      <div className="palette-list" id={`${id}-list`} role="listbox" aria-label="Found">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets.
          <div key={group.name} role="group" aria-label={group.name}>
            <div className="palette-group" aria-hidden="true">
              {group.name}
            </div>
            {group.entries.map(({ key, label, detail, open }) => {
              const index = entries.findIndex((entry) => entry.key === key);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys.
                <div
                  key={key}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === place}
                  className="palette-entry"
                  {...(index === place && { ref: active })}
                  onPointerMove={() => setChosen(key)}
                  onClick={open}
                >
                  <span>{label}</span>
                  {detail !== undefined && <span className="muted">{detail}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p className="palette-foot">
        <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes. Keys of the grammar:
        transport, machine, scenario, mode, placement, size, peers, os; commas between alternatives.
      </p>
    </Modal>
  );
}
