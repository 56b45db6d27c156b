/** Chart state in the address: charts shown as tables, and the embedded chart. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { joined, searchOf, slug, slugs, slugsOf } from "@/lib/search";

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
  const setTable = (isTable: boolean) => {
    return navigate({
      to: ".",
      search: (previous) => {
        const { tables, ...rest } = previous;
        const changed = withTable(tables, name, isTable);
        return changed === undefined ? rest : { ...rest, tables: changed };
      },
      replace: true,
      resetScroll: false,
    });
  };
  return { isTable, isEmbedded, setTable };
}

/** Toggles between chart and table. */
export function withTable(tables: string | undefined, name: string, isTable: boolean): string | undefined {
  const others = slugsOf(tables).filter((other) => other !== name);
  return joined(isTable ? [...others, name] : others);
}
