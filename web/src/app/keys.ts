/** Keyboard shortcuts of all pages. */
import { useNavigate } from "@tanstack/react-router";
import { show } from "@/lib/overlays";
import { toCompare, toExplore, toMachines, toOverview, toRegressions, toSettings } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { chooseTheme, currentTheme, THEMES } from "@/lib/theme";
import { type KeyAction, useKeys } from "@/lib/useKeys";

/** Shortcuts that are handled elsewhere, for the list. */
export const FIXED_KEYS = [
  ["Ctrl K", "search, also while typing"],
  ["Esc", "close"],
] as const;

/** Second keys after `g`, with their pages. */
const PLACES = [
  ["o", "overview", toOverview],
  ["e", "explore", toExplore],
  ["c", "compare", toCompare],
  ["r", "changes", toRegressions],
  ["m", "machines", toMachines],
  ["s", isSite() ? "badges and feeds" : "settings", toSettings],
] as const;

/** Registers them; those for project pages only within a project. */
export function useGlobalKeys(project: string | undefined): void {
  const navigate = useNavigate();
  const places: KeyAction[] =
    project === undefined
      ? []
      : [
          ...PLACES.map(([key, what, to]): KeyAction => [`g ${key}`, what, () => navigate(to(project))]),
          ["v", "saved views", () => show("views")],
        ];
  useKeys({
    title: "All pages",
    isEverywhere: true,
    keys: [
      ["/", "search", () => show("palette")],
      ...places,
      ["t", "next theme", nextTheme],
      ["?", "show shortcuts", () => show("keys")],
    ],
  });
}

function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length];
  if (next !== undefined) chooseTheme(next);
}
