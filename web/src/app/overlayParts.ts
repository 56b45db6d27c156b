/** What opens above the page, as one part of the script. */
export { KeyList } from "./KeyList";
export { Palette } from "./Palette";
export { SavedViews } from "./SavedViews";
