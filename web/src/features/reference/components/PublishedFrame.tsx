/** A publication's table with our columns, and where lines say more, its lines; ours beside them and never among them. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Reference, SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DataTable } from "@/components/chart/DataTable";
import { Segmented } from "@/components/ui/Segmented";
import { rowsOfSet, setsOf, shownTable } from "../data";
import { type OwnColumn, ownColumns, type Protocol } from "../ours";
import { referenceTable } from "../tables";
import { ScalingPanels } from "./ScalingPanels";
import { SizePanels } from "./SizePanels";

type Props = {
  reference: Reference;
  protocol: Protocol | null;
  series: SeriesSummary[];
  own: OwnColumn[];
};

export function PublishedFrame({ reference, protocol, series, own }: Props) {
  const { set: asked } = useSearch({ from: "/$project/reference" });
  const navigate = useNavigate({ from: "/$project/reference" });
  const sets = setsOf(reference);
  const set = sets.find((value) => value === asked) ?? sets[0];
  const rows = rowsOfSet(reference, set);
  const shown = shownTable(reference, rows);
  const columns = set === undefined || protocol === null ? own : ownColumns(protocol, rows, series);
  const fileName = [reference.slug, ...(set === undefined ? [] : [set])].join("-");
  const table = referenceTable(fileName, shown, protocol, columns);
  const names = reference.columns.map(({ name }) => name);
  const title = `${columns.length > 0 ? "Published figures, and ours" : "Published figures"}: ${reference.title}`;
  return (
    <ChartFrame
      name={reference.slug}
      title={title}
      summary={
        columns.length > 0
          ? "Columns that begin with “here” were measured here. All others are as published."
          : "As published."
      }
      table={table}
      {...(set === undefined
        ? {}
        : {
            controls: (
              <Segmented
                label="Set of tables"
                options={sets.map((value) => ({ value, label: value }))}
                value={set}
                onChange={(value) =>
                  navigate({
                    search: (previous) => ({ ...previous, set: value }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            ),
          })}
    >
      {names.includes("p98_us") && <SizePanels rows={rows} protocol={protocol} own={columns} />}
      {names.includes("topology") && <ScalingPanels rows={rows} />}
      <DataTable title={title} table={table} />
    </ChartFrame>
  );
}
