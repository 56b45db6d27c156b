/** The colour theme, stored in this browser; the system's by default. */
import { useSyncExternalStore } from "react";
import { createSignal } from "./signal";

export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "roundtrip.theme";
const { subscribe, notify } = createSignal();

export function currentTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
  applyTheme();
  notify();
}

/** Sets the theme on the document element. */
export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

/** Calls back when the colours change, by the system or by a choice here; returns the function that stops it. */
export function onColoursChanged(call: () => void): () => void {
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = new MutationObserver(call);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  scheme.addEventListener("change", call);
  return () => {
    chosen.disconnect();
    scheme.removeEventListener("change", call);
  };
}
