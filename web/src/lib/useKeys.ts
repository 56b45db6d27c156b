/**
 * Keys: each page registers its own, the application those that work everywhere, and the list that `?` shows is made of
 * both. A key may be two, one after the other: `g o`. What is typed into a field, with a modifier, or while a dialog is
 * open is not meant; Enter and the arrows are meant only where nothing that uses them has the focus. Keys without a
 * modifier can be turned off, for who presses them by accident or by voice.
 */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { isShown } from "./overlays";
import { createSignal } from "./signal";

/** A key as the browser calls it, what it does in the words of the list, and what is done. */
export type KeyAction = readonly [key: string, what: string, action: () => void];

/** Keys that belong together: those of a page, or those of all pages. */
export type KeyMap = { title: string; keys: readonly KeyAction[]; isEverywhere?: true };

/** How long after the first of two keys the second one counts. */
const SECOND_KEY_MS = 1_500;
const STORAGE_KEY = "roundtrip.keys";

let maps: readonly KeyMap[] = [];
let pending: { key: string; until: number } | null = null;
const { subscribe, notify } = createSignal();

/** Has these keys work for as long as the page is there. */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  latest.current = map;
  const listed = map.keys.map(([key, what]) => `${key} ${what}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the list says changes with these alone.
  useEffect(() => {
    const entry: KeyMap = {
      ...map,
      keys: map.keys.map(([key, what], index) => [key, what, () => latest.current.keys[index]?.[2]()]),
    };
    if (maps.length === 0) document.addEventListener("keydown", onKey);
    change([...maps, entry]);
    return () => {
      change(maps.filter((other) => other !== entry));
      if (maps.length === 0) document.removeEventListener("keydown", onKey);
    };
  }, [map.title, listed]);
}

export function useKeyMaps(): readonly KeyMap[] {
  return useSyncExternalStore(subscribe, () => maps);
}

/** Whether keys without a modifier work, followed; kept in this browser. */
export function useAreKeysOn(): boolean {
  return useSyncExternalStore(subscribe, areKeysOn);
}

export function turnKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, "off");
  } catch {
    // A browser that keeps nothing has them on.
  }
  notify();
}

function areKeysOn(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true;
  }
}

export function keyName(key: string): string {
  return { ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" }[key] ?? key;
}

function change(next: readonly KeyMap[]): void {
  // Where both have a key, it is the page's.
  maps = next.toSorted((a, b) => Number(a.isEverywhere === true) - Number(b.isEverywhere === true));
  notify();
}

function onKey(event: KeyboardEvent): void {
  const { key, target, timeStamp } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (!areKeysOn() || isTyped(target) || isShown() || document.querySelector("dialog[open]") !== null) return;
  if (key.length > 1 && !isNowhere(target)) return;
  const first = pending !== null && timeStamp <= pending.until ? `${pending.key} ` : "";
  pending = null;
  const pressed = `${first}${key}`;
  const keys = maps.flatMap((map) => map.keys);
  const action = keys.find(([candidate]) => candidate === pressed)?.[2];
  if (action !== undefined) {
    event.preventDefault();
    action();
  } else if (keys.some(([candidate]) => candidate.startsWith(`${pressed} `))) {
    pending = { key: pressed, until: timeStamp + SECOND_KEY_MS };
  }
}

function isTyped(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), select, textarea");
}

/** Whether nothing that could use a key has the focus: only the page itself. */
function isNowhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("body, main");
}
