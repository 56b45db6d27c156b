/** The lines over message size with the marks of where they cross, which of them are drawn, and the crossings as a table. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Place } from "@/api/place";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { LineChoice } from "@/components/chart/LineChoice";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { drawnLines, type SweptLine, withToggled } from "@/components/chart/swept";
import type { Answer } from "@/lib/fastest";
import { type Crossing, type Figure, positionsOf } from "@/lib/sweep";
import { counted } from "@/lib/units";
import { captionOf } from "../answer";
import { markedCrossings, pairOf } from "../data";
import { sweepTable } from "../tables";
import { CrossingChoice } from "./CrossingChoice";
import { Crossings } from "./Crossings";

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
