/** The reader's choice of light or dark; without one, the system's. It is kept in this browser. */
import { useSyncExternalStore } from "react";

/** The choices. */
export const THEMES = ["system", "light", "dark"] as const;

/** One of the choices. */
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "roundtrip.theme";
const listeners = new Set<() => void>();

/** The stored choice. */
export function currentTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Stores a choice and shows it at once. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

/** Puts the choice on the document, where the colours look for it. */
export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The choice, followed. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}
