/** The grid as a table and as a file: a row a series, a column a commit, the newest first. Pure. */
import type { SeriesSummary } from "@/api/types";
import type { ChartTable } from "@/components/chart/DataTable";
import type { Spark } from "@/components/chart/sparklines";
import { caseName } from "@/lib/cases";
import type { Figure } from "@/lib/query";
import { formatNs } from "@/lib/units";
import { figureOf, type RowName } from "./data";

export function gridTable(
  project: string,
  series: readonly SeriesSummary[],
  names: readonly RowName[],
  sparks: ReadonlyMap<number, Spark | null>,
  ordinals: readonly number[],
  figure: Figure,
): ChartTable {
  const places = ordinals.map((ordinal, place) => ({ ordinal, place })).toReversed();
  return {
    fileName: `${project}-explore-${figure}`,
    columns: [
      { label: "series", csvName: "series_id", number: true },
      { label: "transport", csvName: "transport", number: false },
      { label: "case", csvName: "case", number: false },
      { label: "measured", csvName: "methodology", number: false },
      { label: "machine", csvName: "machine", number: false },
      { label: "figure", csvName: "figure", number: false },
      { label: "changes", csvName: "changes", number: false },
      ...places.map(({ ordinal }) => ({
        label: `#${ordinal}`,
        csvName: `latency_ns_at_${ordinal}`,
        number: true,
      })),
    ],
    rows: () =>
      series.map((entry, index) => {
        const spark = sparks.get(entry.series_id) ?? null;
        const values = places.map(({ place }) => spark?.values[place] ?? null);
        const changes = spark?.marks.map(({ text }) => text).join("; ") ?? "";
        const words = [
          entry.transport.slug,
          caseName(entry.case),
          names[index]?.how.join(", ") ?? "",
          entry.machine,
          figureOf(entry, figure),
          changes,
        ];
        return {
          key: String(entry.series_id),
          cells: [
            entry.series_id,
            ...words,
            ...values.map((value) => (value === null ? "" : formatNs(value))),
          ],
          csv: [entry.series_id, ...words, ...values],
        };
      }),
  };
}
