/** Chart state in the address: charts shown as tables, and the embedded chart. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { present, searchOf, slug, slugs, slugsOf, withToggled } from "@/lib/search";

/** The query parameters for charts. */
export const parseFrameSearch = searchOf({
  /** Names of charts shown as tables, separated by dots. */
  tables: slugs,
  /** The chart shown alone in an embedding page. */
  embed: slug,
});

export function useFrame(name: string) {
  // Separate selectors, so that a chart re-renders only for its own state.
  const isTable = useSearch({ strict: false, select: ({ tables }) => slugsOf(tables).includes(name) });
  const isEmbedded = useSearch({ strict: false, select: ({ embed }) => embed === name });
  const navigate = useNavigate();
  const toggleTable = () =>
    navigate({
      to: ".",
      search: (previous) => present({ ...previous, tables: withToggled(previous.tables, name) }),
      replace: true,
      resetScroll: false,
    });
  return { isTable, isEmbedded, toggleTable };
}
