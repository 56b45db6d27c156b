/** What the page keeps in the URL. */
import { type Present, present, type RawSearch, slug, slugs } from "@/lib/search";

/** The page's state; what is absent takes its usual value. */
export type SizesSearch = Present<{
  profile: string | undefined;
  machine: string | undefined;
  mode: string | undefined;
  placement: string | undefined;
  /** Keys of the lines that are not drawn, with dots between. */
  hidden: string | undefined;
}>;

export function parseSizesSearch(raw: RawSearch): SizesSearch {
  return present({
    profile: slug(raw.profile),
    machine: slug(raw.machine),
    mode: slug(raw.mode),
    placement: slug(raw.placement),
    hidden: slugs(raw.hidden),
  });
}
