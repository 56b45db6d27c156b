/** The state of the overview in the URL: the slice that the grid shows. */
import { oneOf, searchOf, slug, slugs, text, whole } from "@/lib/search";

export const parseOverviewSearch = searchOf({
  scenario: slug,
  mode: slug,
  placement: slug,
  bytes: whole,
  /** In the format of `parametersKey`. */
  parameters: text,
  imported: oneOf(["all"]),
  /** Keys of hidden lines, separated by dots. */
  hidden: slugs,
});
export type OverviewSearch = ReturnType<typeof parseOverviewSearch>;
