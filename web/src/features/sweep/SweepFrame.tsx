/** The lines over message size with the marks of where they cross, which of them are drawn, and the crossings as a table. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Place } from "@/api/place";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DataTable, saveCsv } from "@/components/chart/DataTable";
import { LineChoice } from "@/components/chart/LineChoice";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { drawnLines, type SweptLine, withToggled } from "@/components/chart/swept";
import { Segmented, SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import type { Answer } from "@/lib/fastest";
import { type Crossing, type Figure, positionsOf } from "@/lib/sweep";
import { counted } from "@/lib/units";
import { captionOf, markedCrossings, pairOf, usualPair } from "./answer";
import { crossingsTable, sweepTable } from "./tables";

const HEIGHT_PX = 440;

type Props = {
  project: string;
  place: Place;
  lines: SweptLine[];
  crossings: Crossing[];
  answer: Answer;
  figure: Figure;
};

export function SweepFrame({ project, place, lines, crossings, answer, figure }: Props) {
  const { hidden, pair: asked } = useSearch({ from: "/$project/sweep" });
  const navigate = useNavigate({ from: "/$project/sweep" });
  const [pointed, setPointed] = useState<string | null>(null);
  const shown = lines.filter(({ isShown }) => isShown);
  const pair = pairOf(lines, asked);
  const marked = markedCrossings(answer, crossings, pair, figure);
  const fileName = [place.machine, place.scenario, place.mode, place.placement, "sweep"].join("-");
  const toggle = (key: string) => {
    setPointed(null);
    const changed = withToggled(hidden, key);
    navigate({
      search: ({ hidden: _hidden, ...rest }) => (changed === undefined ? rest : { ...rest, hidden: changed }),
      replace: true,
      resetScroll: false,
    });
  };
  const what = figure === "throughput" ? "Throughput" : `Latency (${figure})`;
  return (
    <>
      <ChartFrame
        name="sweep"
        title={`${what} against message size on ${place.machine}`}
        summary={`${shown.length === lines.length ? "" : `${shown.length} of `}${counted(lines.length, "line")}; both axes are logarithmic. Those that are the fastest somewhere are strong. A name hides its line and shows it again.`}
        table={sweepTable(project, fileName, shown, figure)}
        controls={<LineChoice label="Lines" lines={lines} onToggle={toggle} onPoint={setPointed} />}
      >
        <SweepChart
          name={`${what} of each transport against message size`}
          lines={drawnLines(lines, answer, figure)}
          measure={figure === "throughput" ? RATE : LATENCY}
          height_px={HEIGHT_PX}
          sizes={positionsOf(lines)}
          crossings={marked.map(({ below, x, from, to }) => ({
            x,
            from,
            to,
            label: captionOf({ below, x, from, to }),
          }))}
          emphasised={emphasisOf(pointed, pair)}
          onPoint={setPointed}
          onPick={toggle}
        />
      </ChartFrame>
      <Crossings fileName={`${fileName}-crossings`} crossings={marked} figure={figure} isPair={pair !== null}>
        <CrossingChoice lines={shown} pair={pair} answer={answer} />
      </Crossings>
    </>
  );
}

function emphasisOf(pointed: string | null, pair: [SweptLine, SweptLine] | null): Set<string> {
  if (pointed !== null) return new Set([pointed]);
  return new Set(pair?.map(({ key }) => key));
}

type CrossingChoiceProps = { lines: SweptLine[]; pair: [SweptLine, SweptLine] | null; answer: Answer };

/** Which crossings are marked: where the fastest changes, or all of two lines. */
function CrossingChoice({ lines, pair, answer }: CrossingChoiceProps) {
  const navigate = useNavigate({ from: "/$project/sweep" });
  const offered = usualPair(answer, lines);
  if (offered === undefined) return null;
  const choose = (chosen: string | undefined) =>
    navigate({
      search: ({ pair: _pair, ...rest }) => (chosen === undefined ? rest : { ...rest, pair: chosen }),
      replace: true,
      resetScroll: false,
    });
  const options = (other: SweptLine) =>
    lines.filter(({ key }) => key !== other.key).map(({ key, label }) => ({ value: key, label }));
  return (
    <div className="controls">
      <Segmented
        label="Crossings"
        options={[
          { value: "fastest", label: "where the fastest changes" },
          { value: "pair", label: "of two lines" },
        ]}
        value={pair === null ? "fastest" : "pair"}
        onChange={(value) => choose(value === "pair" ? offered : undefined)}
      />
      {pair !== null && (
        <>
          <SelectField
            label="Of"
            options={options(pair[1])}
            value={pair[0].key}
            onChange={(key) => choose(`${key}.${pair[1].key}`)}
          />
          <SelectField
            label="and"
            options={options(pair[0])}
            value={pair[1].key}
            onChange={(key) => choose(`${pair[0].key}.${key}`)}
          />
        </>
      )}
    </div>
  );
}

type CrossingsProps = {
  fileName: string;
  crossings: Crossing[];
  figure: Figure;
  isPair: boolean;
  /** Which crossings are to be shown. */
  children: ReactNode;
};

/** Where lines cross as a table, and what is chosen of them. */
function Crossings({ fileName, crossings, figure, isPair, children }: CrossingsProps) {
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
