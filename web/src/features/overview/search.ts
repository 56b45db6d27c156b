/** What the overview keeps in the URL: which slice of the measurements its grid shows. */
import { type Present, present, type RawSearch, slug, whole } from "@/lib/search";

/** The chosen slice; what is absent takes its usual value. */
export type OverviewSearch = Present<{
  scenario: string | undefined;
  mode: string | undefined;
  placement: string | undefined;
  bytes: number | undefined;
}>;

export function parseOverviewSearch(raw: RawSearch): OverviewSearch {
  return present({
    scenario: slug(raw.scenario),
    mode: slug(raw.mode),
    placement: slug(raw.placement),
    bytes: whole(raw.bytes),
  });
}
