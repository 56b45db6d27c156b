/** Chooses between the system's colours, light and dark. */
import { chooseTheme, THEMES, type Theme, useTheme } from "@/lib/theme";

const SHAPES: Record<Theme, string> = {
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  light:
    "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3.1 3.1l1 1M11.9 11.9l1 1M3.1 12.9l1-1M11.9 4.1l1-1",
  dark: "M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z",
};

const NAMES: Record<Theme, string> = {
  system: "Colours of the system",
  light: "Light colours",
  dark: "Dark colours",
};

export function ThemeSwitch() {
  const chosen = useTheme();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend and a frame of its own.
    <div className="segmented theme" role="group" aria-label="Colours">
      {THEMES.map((theme) => (
        <button
          key={theme}
          type="button"
          title={NAMES[theme]}
          aria-label={NAMES[theme]}
          aria-pressed={theme === chosen}
          onClick={() => chooseTheme(theme)}
        >
          <svg
            width="14"
            height="14"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.4"
            strokeLinecap="round"
            strokeLinejoin="round"
            aria-hidden="true"
          >
            <path d={SHAPES[theme]} />
          </svg>
        </button>
      ))}
    </div>
  );
}
