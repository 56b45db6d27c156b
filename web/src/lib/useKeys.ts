/**
 * Keyboard shortcuts of pages and of the application; `?` lists both. A shortcut can be a sequence of two keys: `g o`.
 * Shortcuts are ignored in fields, with modifiers and while a dialog is open; Enter and arrows also while a control has the
 * focus. Users can turn them off, for example if they use voice input.
 */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { isShown } from "./overlays";
import { createSignal } from "./signal";

/** A key by its browser name, its description in the list, and its action. */
export type KeyAction = readonly [key: string, what: string, action: () => void];

/** A group of shortcuts: of a page, or of all pages. */
type KeyMap = { title: string; keys: readonly KeyAction[]; isEverywhere?: true };

/** Time limit for the second key of a sequence. */
const SECOND_KEY_MS = 1_500;
const STORAGE_KEY = "roundtrip.keys";

let maps: readonly KeyMap[] = [];
let pending: { key: string; until: number } | null = null;
const { subscribe, notify } = createSignal();

/** Registers shortcuts while the component is mounted. */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  latest.current = map;
  const listed = map.keys.map(([key, what]) => `${key} ${what}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list depends on these alone.
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

/** Whether shortcuts are on; stored in this browser. */
export function useAreKeysOn(): boolean {
  return useSyncExternalStore(subscribe, areKeysOn);
}

export function turnKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, "off");
  } catch {
    // Without storage they stay on.
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
  // Shortcuts of a page take precedence.
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

/** Whether only the page itself has the focus. */
function isNowhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("body, main");
}
