/** What looks like a field in the header, and opens the search; on narrow screens a word. */
import { show } from "@/lib/overlays";

/** An example of all that a search is made of. */
export const EXAMPLE = "transport:pipe size:>=64k os:linux p99";

export function SearchButton() {
  return (
    <button
      type="button"
      className="search-button"
      aria-haspopup="dialog"
      aria-keyshortcuts="/ Control+K Meta+K"
      onClick={() => show("palette")}
    >
      <span className="search-word">Search</span>
      <span className="search-example">{EXAMPLE}</span>
      <kbd>/</kbd>
    </button>
  );
}
