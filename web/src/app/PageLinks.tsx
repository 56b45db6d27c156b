/** The pages of a project: those that are looked at every day, and the others behind one more step. */
import { Link } from "@tanstack/react-router";
import { Menu } from "@/components/ui/Menu";
import { show } from "@/lib/overlays";
import { DAILY_PAGES, OTHER_PAGES, OVERVIEW } from "./pages";

export function PageLinks({ project }: { project: string }) {
  return (
    <>
      <Link {...OVERVIEW.to(project)} activeOptions={{ exact: true, includeSearch: false }}>
        {OVERVIEW.label}
      </Link>
      {DAILY_PAGES.map(({ to, label }) => (
        <Link key={label} {...to(project)} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
      <Menu label="More">
        {OTHER_PAGES.map(({ to, label }) => (
          <Link key={label} {...to(project)} activeOptions={{ includeSearch: false }}>
            {label}
          </Link>
        ))}
        <button type="button" className="text-button menu-first" onClick={() => show("views")}>
          Saved views
        </button>
        <button type="button" className="text-button" onClick={() => show("keys")}>
          Keys
        </button>
      </Menu>
    </>
  );
}
