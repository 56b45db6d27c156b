/** Where the time of a message goes, for each line at one size. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Place } from "@/api/place";
import { budgetQuery } from "@/api/queries";
import { BudgetBar, BudgetLegend } from "@/components/BudgetBar";
import type { SweptLine } from "@/components/chart/swept";
import { SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { type Column, numeric, RowTable, rowHead } from "@/components/ui/Table";
import { type Budget, elapsedNs, newestBudgets, overlapOf, partsIn, percent, sharesOf } from "@/lib/budget";
import { useSearchChange } from "@/lib/hooks";
import { positionsOf } from "@/lib/sweep";
import { formatBytes, formatDividedNs } from "@/lib/units";
import type { SweepSearch } from "./search";

type Props = { place: Place; shown: SweptLine[]; ordinal: number | undefined };
type Row = { key: string; label: string; budget: Budget };

const route = getRouteApi("/$project/sweep");

/** The default size, if measured. */
const USUAL_BYTES = 1024;

export function Budgets({ place, shown, ordinal }: Props) {
  const { budget: asked } = route.useSearch();
  const change = useSearchChange<SweepSearch>();
  const sizes = positionsOf(shown);
  const size = [asked, USUAL_BYTES].find((bytes) => bytes !== undefined && sizes.includes(bytes)) ?? sizes[0];
  const lines = shown.flatMap(({ key, label, points }) =>
    points.flatMap(({ x, point }) => (x === size ? [{ key, label, series_id: point.series_id }] : [])),
  );
  const at = ordinal === undefined ? {} : { from: ordinal, to: ordinal, lines: "all" as const };
  const { data } = useQuery(
    budgetQuery(
      lines.map(({ series_id }) => series_id),
      { last: 1, ...at },
    ),
  );
  const budgets = newestBudgets(data);
  const rows = lines.flatMap(({ series_id, ...line }): Row[] => {
    const budget = budgets.get(series_id);
    return budget === undefined ? [] : [{ ...line, budget }];
  });
  if (rows.length === 0 && (data === undefined || asked === undefined)) return null;
  const parts = partsIn(rows.map(({ budget }) => budget));
  const share = (name: string): Column<Row> => [
    numeric(name),
    ({ budget }) => percent(sharesOf(budget).find((entry) => entry.name === name.toLowerCase())?.share ?? 0),
  ];
  return (
    <Section
      title="Where the time goes"
      tools={
        <SelectField
          label="Message size"
          options={sizes.map((bytes) => ({ value: String(bytes), label: formatBytes(bytes) }))}
          value={String(size)}
          onChange={(bytes) => change({ budget: Number(bytes) })}
        />
      }
    >
      <p className="chart-summary">
        Mean per {place.scenario === "roundtrip" ? "round trip" : "delivered message"}, newest point.
      </p>
      {rows.length === 0 ? (
        <p className="section-note">No time budgets at this size.</p>
      ) : (
        <>
          <RowTable
            label="Where the time goes"
            className="table table-dense"
            rows={rows}
            keyOf={({ key }) => key}
            columns={[
              [rowHead("Line"), ({ label }) => label],
              [numeric("Time"), ({ budget }) => formatDividedNs(elapsedNs(budget))],
              ["Parts", ({ budget }) => <BudgetBar budget={budget} />, "budget-cell"],
              share("Sender"),
              share("Receiver"),
              parts.some(({ key }) => key === "ready") && share("Waiting"),
              share("Asleep"),
              rows.some(({ budget }) => overlapOf(budget) !== null) && [
                {
                  name: "Overlap",
                  className: "number",
                  title: "Share of the time in which both sides ran: the bar has it twice",
                },
                ({ budget }) => percent(overlapOf(budget) ?? 0),
              ],
            ]}
          />
          <BudgetLegend parts={parts} />
        </>
      )}
    </Section>
  );
}
