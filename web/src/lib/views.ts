/** Named page addresses, stored in this browser: views that the user saves, and recent pages. */
import { useSyncExternalStore } from "react";
import { localPath } from "./search";
import { createSignal } from "./signal";

/** A name, unique in the project, and the path with its query. */
export type View = { name: string; href: string };

export const NAME_LENGTH_MAX = 80;
const VIEWS_MAX = 200;
const RECENT_MAX = 5;

const saved = storedViews("roundtrip.views");
const recent = storedViews("roundtrip.recent");

export const viewsOf = saved.of;
export const useViews = saved.useAll;

/** The last pages of the project, the newest first. */
export const recentOf = recent.of;
export const useRecent = recent.useAll;

/** Saves an address under a name, replacing a view of that name. False without browser storage. */
export function saveView(project: string, { name, href }: View): boolean {
  const named = name.trim().slice(0, NAME_LENGTH_MAX);
  return saved.write(project, byName([...without(viewsOf(project), named), { name: named, href }]));
}

/** Renames a view; replaces a view that had the name. */
export function renameView(project: string, from: string, to: string): boolean {
  const view = viewsOf(project).find(({ name }) => name === from);
  const named = to.trim().slice(0, NAME_LENGTH_MAX);
  if (view === undefined || named === "") return false;
  const others = without(without(viewsOf(project), from), named);
  return saved.write(project, byName([...others, { ...view, name: named }]));
}

export function deleteView(project: string, name: string): boolean {
  return saved.write(project, without(viewsOf(project), name));
}

/** Adds a page that the user left. */
export function addRecent(project: string, { name, href }: View): void {
  const named = name.slice(0, NAME_LENGTH_MAX);
  recent.write(project, [{ name: named, href }, ...without(recentOf(project), named)].slice(0, RECENT_MAX));
}

function without(views: readonly View[], left: string): View[] {
  return views.filter(({ name }) => name !== left);
}

function byName(views: View[]): View[] {
  return views.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** A list for each project. Invalid stored entries are ignored. */
function storedViews(storageKey: string) {
  const here = createSignal();
  const keyOf = (project: string) => `${storageKey}.${project}`;
  /** The last parsed list, so that unchanged storage returns the same list. */
  let known: { project: string; stored: string | null; views: readonly View[] } | null = null;

  function of(project: string): readonly View[] {
    const stored = read(keyOf(project));
    if (known === null || known.project !== project || known.stored !== stored) {
      known = { project, stored, views: parsed(project, stored) };
    }
    return known.views;
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

  const useAll = (project: string) => useSyncExternalStore(subscribe, () => of(project));
  return { of, write, useAll };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
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
    .slice(0, VIEWS_MAX);
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
