/** What the page keeps in the URL. */
import { searchOf, slug, slugs } from "@/lib/search";

export const parseSizesSearch = searchOf({
  profile: slug,
  machine: slug,
  mode: slug,
  placement: slug,
  /** Keys of the lines that are not drawn, with dots between. */
  hidden: slugs,
});
export type SizesSearch = ReturnType<typeof parseSizesSearch>;
