/** Saved views: named page addresses, stored in this browser. Invalid stored entries are ignored. */
import { useSyncExternalStore } from "react";
import { localPath } from "./search";
import { createSignal } from "./signal";

/** A view: its name, unique in the project, and the path with its query. */
export type View = { name: string; href: string };

export const NAME_LENGTH_MAX = 80;
const VIEWS_MAX = 200;
const STORAGE_KEY = "roundtrip.views";

const here = createSignal();
/** The last parsed list, so that unchanged storage returns the same list. */
let known: { project: string; stored: string | null; views: readonly View[] } | null = null;

export function viewsOf(project: string): readonly View[] {
  const stored = read(project);
  if (known === null || known.project !== project || known.stored !== stored) {
    known = { project, stored, views: parsed(project, stored) };
  }
  return known.views;
}

export function useViews(project: string): readonly View[] {
  return useSyncExternalStore(subscribe, () => viewsOf(project));
}

/** Saves an address under a name, replacing a view of that name. False without browser storage. */
export function saveView(project: string, { name, href }: View): boolean {
  const named = name.trim().slice(0, NAME_LENGTH_MAX);
  const others = viewsOf(project).filter((view) => view.name !== named);
  return write(project, [...others, { name: named, href }]);
}

/** Renames a view; replaces a view that had the name. */
export function renameView(project: string, from: string, to: string): boolean {
  const view = viewsOf(project).find(({ name }) => name === from);
  const others = viewsOf(project).filter(({ name }) => name !== from);
  const named = to.trim().slice(0, NAME_LENGTH_MAX);
  if (view === undefined || named === "") return false;
  return write(project, [...others.filter(({ name }) => name !== named), { ...view, name: named }]);
}

export function deleteView(project: string, name: string): boolean {
  return write(
    project,
    viewsOf(project).filter((view) => view.name !== name),
  );
}

function parsed(project: string, stored: string | null): View[] {
  let entries: unknown;
  try {
    entries = JSON.parse(stored ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(entries)) return [];
  return entries
    .flatMap((entry) => viewOf(project, entry) ?? [])
    .filter(({ name }, index, views) => views.findIndex((other) => other.name === name) === index)
    .slice(0, VIEWS_MAX)
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** A stored value as a view; `null` if invalid or outside the project. */
function viewOf(project: string, value: unknown): View | null {
  if (typeof value !== "object" || value === null) return null;
  const { name, href } = value as Record<string, unknown>;
  const path = localPath(href);
  if (typeof name !== "string" || name.trim() === "" || name.length > NAME_LENGTH_MAX) return null;
  const root = `/${project}`;
  if (path?.startsWith(root) !== true || !["", "/", "?", "#"].includes(path.charAt(root.length))) return null;
  return { name, href: path };
}

function keyOf(project: string): string {
  return `${STORAGE_KEY}.${project}`;
}

function read(project: string): string | null {
  try {
    return localStorage.getItem(keyOf(project));
  } catch {
    return null;
  }
}

function write(project: string, views: readonly View[]): boolean {
  try {
    localStorage.setItem(keyOf(project), JSON.stringify(views));
  } catch {
    return false;
  }
  here.notify();
  return true;
}

function subscribe(listener: () => void): () => void {
  const leave = here.subscribe(listener);
  window.addEventListener("storage", listener);
  return () => {
    leave();
    window.removeEventListener("storage", listener);
  };
}
