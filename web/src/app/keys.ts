/** Keyboard shortcuts of all pages. */
import { useNavigate } from "@tanstack/react-router";
import { show } from "@/lib/overlays";
import { chooseTheme, currentTheme, THEMES } from "@/lib/theme";
import { type KeyAction, useKeys } from "@/lib/useKeys";
import { allPages } from "./pages";

/** Shortcuts that are handled elsewhere, for the list. */
export const FIXED_KEYS = [
  ["Ctrl K", "search, also while typing"],
  ["Esc", "close"],
] as const;

/** Begins the keys of pages. */
export const GO = "g";

/** Registers them; those for project pages only within a project. */
export function useGlobalKeys(project: string | undefined): void {
  const navigate = useNavigate();
  const ofProject: KeyAction[] =
    project === undefined
      ? []
      : [
          ...allPages().map(
            ({ key, label, to }): KeyAction => [
              `${GO} ${key}`,
              label.toLowerCase(),
              () => navigate(to(project)),
            ],
          ),
          ["v", "saved views", () => show("views")],
        ];
  useKeys({
    title: "All pages",
    isEverywhere: true,
    keys: [
      ["/", "search", () => show("palette")],
      ...ofProject,
      ["t", "next theme", nextTheme],
      ["?", "shortcuts", () => show("keys")],
    ],
  });
}

function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length];
  if (next !== undefined) chooseTheme(next);
}
