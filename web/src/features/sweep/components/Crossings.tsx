/** Where lines cross as a table, and what is chosen of them. */
import type { ReactNode } from "react";
import { DataTable, saveCsv } from "@/components/chart/DataTable";
import { Section } from "@/components/ui/Section";
import type { Crossing, Figure } from "@/lib/sweep";
import { crossingsTable } from "../tables";

type Props = {
  fileName: string;
  crossings: Crossing[];
  figure: Figure;
  isPair: boolean;
  /** Which crossings are to be shown. */
  children: ReactNode;
};

export function Crossings({ fileName, crossings, figure, isPair, children }: Props) {
  const table = crossingsTable(fileName, crossings);
  return (
    <Section
      title="Crossings"
      tools={
        crossings.length > 0 && (
          <div className="tools">
            <button type="button" className="text-button" onClick={() => saveCsv(table)}>
              CSV
            </button>
          </div>
        )
      }
    >
      <p className="chart-summary">
        The size at which the p50 of two lines is equal, and its 95 % interval. Where it is not bounded, the
        repetitions do not tell the two apart as far as they were measured.
      </p>
      {figure === "p50" && children}
      {crossings.length > 0 ? (
        <div className="subsection">
          <DataTable title="Crossings" table={table} />
        </div>
      ) : (
        <p className="section-note">{absentText(figure, isPair)}</p>
      )}
    </Section>
  );
}

function absentText(figure: Figure, isPair: boolean): string {
  if (figure !== "p50") return "Crossings are of p50: choose it above to see them.";
  return isPair
    ? "These two do not cross at any size that both were measured at."
    : "The fastest changes at no size at which both lines were measured.";
}
