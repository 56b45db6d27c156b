/** What the address says of a page's charts: which are shown as tables, and which one alone is embedded elsewhere. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { joined, searchOf, slug, slugs, slugsOf } from "@/lib/search";

/** The part of every page's address that is about its charts. */
export const parseFrameSearch = searchOf({
  /** Names of the charts shown as tables, with dots between. */
  tables: slugs,
  /** The one chart that is shown, within a page of somebody else. */
  embed: slug,
});

export function useFrame(name: string) {
  // Each by itself: a chart is not drawn anew because the address says something else of another.
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

/** The names with one chart shown as a table, or as a chart again. */
export function withTable(tables: string | undefined, name: string, isTable: boolean): string | undefined {
  const others = slugsOf(tables).filter((other) => other !== name);
  return joined(isTable ? [...others, name] : others);
}
