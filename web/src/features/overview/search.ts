/** What the overview keeps in the URL: which slice of the measurements its grid shows. */
import { oneOf, type Present, present, type RawSearch, slug, text, whole } from "@/lib/search";

/** The chosen slice; what is absent takes its usual value. */
export type OverviewSearch = Present<{
  scenario: string | undefined;
  mode: string | undefined;
  placement: string | undefined;
  bytes: number | undefined;
  /** As `parametersKey` writes them. */
  parameters: string | undefined;
  /** How much of what was imported is shown. */
  imported: "all" | undefined;
}>;

export function parseOverviewSearch(raw: RawSearch): OverviewSearch {
  return present({
    scenario: slug(raw.scenario),
    mode: slug(raw.mode),
    placement: slug(raw.placement),
    bytes: whole(raw.bytes),
    parameters: text(raw.parameters),
    imported: oneOf(raw.imported, ["all"]),
  });
}
