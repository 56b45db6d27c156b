/** The saved views of a project: the address that is open gets a name, and any of them is opened, renamed or deleted. */
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Modal } from "@/components/ui/Modal";
import { show } from "@/lib/overlays";
import { deleteView, NAME_LENGTH_MAX, renameView, saveView, useViews } from "@/lib/views";

const NOT_KEPT = "This browser keeps nothing for this page: private windows and blocked storage do not.";

export function SavedViews({ project }: { project: string }) {
  const views = useViews(project);
  const { href } = useLocation();
  const [message, setMessage] = useState("");
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = nameOf(form);
    if (name === "") return;
    const isKept = saveView(project, { name, href });
    setMessage(isKept ? `Saved as ${name}.` : NOT_KEPT);
    if (isKept) form.reset();
  };
  return (
    <Modal label="Saved views" className="views" onClosed={() => show(null)}>
      <h2>Saved views of {project}</h2>
      <p className="section-note">
        A view is the address of a page with all that is chosen on it. Views are kept in this browser; to give
        one to somebody else, copy its link.
      </p>
      <form className="controls" onSubmit={save}>
        <label className="field">
          This page as
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
        <p className="muted">No view is saved yet.</p>
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
    const isKept = to === "" || renameView(project, name, to);
    onMessage(isKept ? "" : NOT_KEPT);
    setRenaming(false);
  };
  if (isRenaming) {
    return (
      <li>
        <form className="controls" onSubmit={rename}>
          <label className="field">
            Name
            {/* biome-ignore lint/a11y/noAutofocus: the button that had the focus made place for it. */}
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
        <button
          type="button"
          className="text-button"
          aria-label={`Rename ${name}`}
          onClick={() => setRenaming(true)}
        >
          Rename
        </button>
        <button
          type="button"
          className="text-button"
          aria-label={`Delete ${name}`}
          onClick={() => onMessage(deleteView(project, name) ? `${name} is deleted.` : NOT_KEPT)}
        >
          Delete
        </button>
      </span>
    </li>
  );
}

function nameOf(form: HTMLFormElement): string {
  return String(new FormData(form).get("name") ?? "").trim();
}
