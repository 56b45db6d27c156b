/** The keys that work on all pages, once: they are registered and listed from here. */
import { useNavigate } from "@tanstack/react-router";
import { show } from "@/lib/overlays";
import { toCompare, toExplore, toMachines, toOverview, toRegressions, toSettings } from "@/lib/paths";
import { chooseTheme, currentTheme, THEMES } from "@/lib/theme";
import { type KeyAction, useKeys } from "@/lib/useKeys";

/** Keys that need no list of actions, because the browser or the search itself answers to them. */
export const FIXED_KEYS = [
  ["Ctrl K", "search, also while typing"],
  ["Esc", "close what is open"],
] as const;

/** Where two keys lead: `g`, and then the page's. */
const PLACES = [
  ["o", "overview", toOverview],
  ["e", "explore", toExplore],
  ["c", "compare", toCompare],
  ["r", "changes", toRegressions],
  ["m", "machines", toMachines],
  ["s", "settings", toSettings],
] as const;

/** Has them work; those of a project's pages where there is a project. */
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
    title: "Everywhere",
    isEverywhere: true,
    keys: [
      ["/", "search", () => show("palette")],
      ...places,
      ["t", "next colours: system, light, dark", nextTheme],
      ["?", "this list", () => show("keys")],
    ],
  });
}

function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length];
  if (next !== undefined) chooseTheme(next);
}
