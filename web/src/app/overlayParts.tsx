/** The overlays: search, the pages on phones, saved views, keyboard shortcuts. */
import { useLocation, useNavigate } from "@tanstack/react-router";
import {
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { TextButton } from "@/components/ui/controls";
import { Modal } from "@/components/ui/Modal";
import { Facts } from "@/components/ui/text";
import { show } from "@/lib/overlays";
import { counted } from "@/lib/units";
import { keyName, turnKeys, useAreKeysOn, useKeyMaps } from "@/lib/useKeys";
import { addRecent, deleteView, NAME_LENGTH_MAX, renameView, saveView, useViews } from "@/lib/views";
import { FIXED_KEYS } from "./keys";
import { Options } from "./Options";
import { PageLink } from "./PageLink";
import { pageGroups } from "./pages";
import { placeAfter } from "./paletteEntries";
import { usePalette } from "./usePalette";

type Props = {
  project: string | undefined;
  typed: RefObject<string>;
};

export function Palette({ project = "", typed }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  /** The entry selected with the arrows; `null`: the first. */
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, problem } = usePalette(project, text, setText);
  const entries = groups.flatMap((group) => group.entries);
  const place = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );
  // Take over characters typed while the overlay was loading.
  useLayoutEffect(() => setText(typed.current), [typed]);
  const active = useRef<HTMLDivElement>(null);
  const activeKey = entries[place]?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ref then points to another entry.
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
          placeholder="p99 pipe 4k cross"
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
        <TextButton onClick={() => show(null)}>Close</TextButton>
      </div>
      <p className="palette-problem" id={`${id}-problem`} role="status">
        {problem !== null && <span className="warning">{problem}</span>}
        <span className="visually-hidden">{counted(entries.length, "entry", "entries")}</span>
      </p>
      <div className="palette-list" id={`${id}-list`} role="listbox" aria-label="Results">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets.
          <div key={group.name} role="group" aria-label={group.name}>
            <div className="palette-group" aria-hidden="true">
              {group.name}
            </div>
            {group.entries.map(({ key, label, detail, shortcut, open }) => {
              const index = entries.findIndex((entry) => entry.key === key);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys.
                <div
                  key={key}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === place}
                  className="palette-entry"
                  aria-keyshortcuts={shortcut}
                  {...(index === place && { ref: active })}
                  onPointerMove={() => setChosen(key)}
                  onClick={open}
                >
                  <span>{label}</span>
                  {detail !== undefined && <span className="muted">{detail}</span>}
                  {shortcut !== undefined && (
                    <span className="palette-key" aria-hidden="true">
                      <kbd>{shortcut}</kbd>
                    </span>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p className="palette-foot">
        Filters, if words are not enough: <code>transport:pipe size:&gt;=64k os:linux p99</code>
      </p>
    </Modal>
  );
}

/** All pages and options, on screens without space for them in the header. */
export function PageMenu({ project }: { project: string | undefined }) {
  return (
    <Modal label="Menu" className="sheet" onClosed={() => show(null)}>
      <TextButton onClick={() => show(null)}>Close</TextButton>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: only the links inside are controls. */}
      <div onClick={({ target }) => target instanceof Element && target.closest("a") && show(null)}>
        {project !== undefined && (
          <nav aria-label="Pages">
            {[...pageGroups()].map(([menu, pages]) => (
              <section key={menu} aria-label={menu || "Main pages"}>
                {menu !== "" && <h2>{menu}</h2>}
                {pages.map((page) => (
                  <PageLink key={page.label} project={project} page={page} />
                ))}
              </section>
            ))}
          </nav>
        )}
        <section aria-label="Options">
          <Options project={project} />
        </section>
      </div>
    </Modal>
  );
}

/** As `useTitle` sets it; without a name before the page has loaded. */
const TITLE = /^(.+) · Roundtrip$/;

/** Lists a page that the user left as recent. The pages of the header are listed anyway. */
export function recall(project: string, title: string, href: string): void {
  const [, name] = TITLE.exec(title) ?? [];
  const isDeep = /^\/[^/?]+(\/[^/?]+\?|(\/[^/?]+){2})/.test(href);
  if (name !== undefined && isDeep) addRecent(project, { name, href });
}

const NOT_SAVED = "Not saved: browser storage is blocked.";

/** The saved views of a project: save the current address, open, rename or delete views. */
export function SavedViews({ project }: { project: string }) {
  const views = useViews(project);
  const { href } = useLocation();
  const [message, setMessage] = useState("");
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = nameOf(form);
    if (name === "") return;
    const isSaved = saveView(project, { name, href });
    setMessage(isSaved ? `Saved as ${name}.` : NOT_SAVED);
    if (isSaved) form.reset();
  };
  return (
    <Modal label="Saved views" className="views" onClosed={() => show(null)}>
      <h2>Saved views of {project}</h2>
      <p className="section-note">Stored in this browser only.</p>
      <form className="controls" onSubmit={save}>
        <label className="field">
          Save this page as
          <input name="name" required maxLength={NAME_LENGTH_MAX} autoComplete="off" />
        </label>
        <button type="submit" className="button">
          Save
        </button>
      </form>
      <p className="views-message" role="status">
        {message}
      </p>
      {views.length === 0 ? (
        <p className="muted">No saved views</p>
      ) : (
        <ul className="views-list">
          {views.map((view) => (
            <ViewEntry key={view.name} project={project} {...view} onMessage={setMessage} />
          ))}
        </ul>
      )}
      <form method="dialog">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </Modal>
  );
}

type EntryProps = { project: string; name: string; href: string; onMessage: (message: string) => void };

function ViewEntry({ project, name, href, onMessage }: EntryProps) {
  const navigate = useNavigate();
  const [isRenaming, setRenaming] = useState(false);
  const rename = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const to = nameOf(event.currentTarget);
    const isSaved = to === "" || renameView(project, name, to);
    onMessage(isSaved ? "" : NOT_SAVED);
    setRenaming(false);
  };
  if (isRenaming) {
    return (
      <li>
        <form className="controls" onSubmit={rename}>
          <label className="field">
            Name
            {/* biome-ignore lint/a11y/noAutofocus: the button that had the focus was replaced. */}
            <input name="name" required maxLength={NAME_LENGTH_MAX} defaultValue={name} autoFocus />
          </label>
          <button type="submit" className="button">
            Rename
          </button>
        </form>
      </li>
    );
  }
  return (
    <li>
      <a
        href={href}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          show(null);
          navigate({ href });
        }}
      >
        {name}
      </a>
      <span className="tools">
        <TextButton aria-label={`Rename ${name}`} onClick={() => setRenaming(true)}>
          Rename
        </TextButton>
        <TextButton
          aria-label={`Delete ${name}`}
          onClick={() => onMessage(deleteView(project, name) ? `Deleted ${name}.` : NOT_SAVED)}
        >
          Delete
        </TextButton>
      </span>
    </li>
  );
}

function nameOf(form: HTMLFormElement): string {
  return String(new FormData(form).get("name") ?? "").trim();
}

/** The list of keyboard shortcuts of this page and of all pages. `?` opens it. */
export function KeyList() {
  const maps = useKeyMaps();
  const areOn = useAreKeysOn();
  return (
    <Modal label="Shortcuts" className="key-list" onClosed={() => show(null)}>
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
          Enable single-key shortcuts
        </label>
      </form>
    </Modal>
  );
}
