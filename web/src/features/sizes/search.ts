/** Query parameters of the page. */
import { searchOf, slug, slugs } from "@/lib/search";

export const parseSizesSearch = searchOf({
  profile: slug,
  machine: slug,
  mode: slug,
  placement: slug,
  /** Keys of hidden lines, separated by dots. */
  hidden: slugs,
});
export type SizesSearch = ReturnType<typeof parseSizesSearch>;
