/** Latency by message size on one machine, with what it shows in sentences. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { SweepChart as Chart } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { LazySweepChart } from "@/components/chart/LazySweepChart";
import { LineChoice, useLineChoice } from "@/components/chart/LineChoice";
import { LATENCY } from "@/components/chart/measure";
import { sweepTable } from "@/components/chart/sweepTable";
import { captionOf, drawnLines, sweptLines } from "@/components/chart/swept";
import { Unbroken } from "@/components/ui/text";
import { fastestOf } from "@/lib/fastest";
import { toSweep } from "@/lib/paths";
import { positionsOf } from "@/lib/sweep";
import { modeName, placementName } from "@/lib/vocabulary";
import { machineSweepQuery, SWEPT_SCENARIO } from "./load";
import { sentencesOf, usualPart } from "./sizes";

const route = getRouteApi("/$project/");

const HEIGHT_PX = 400;

type Props = { project: string; machine: string };

export function SizeSweep({ project, machine }: Props) {
  const { data: chart } = useQuery(machineSweepQuery(project, machine));
  const part = chart === undefined ? null : usualPart(chart);
  if (chart === undefined || part === null) return null;
  return <MeasuredSweep project={project} machine={machine} chart={chart} part={part} />;
}

type MeasuredProps = Props & { chart: Chart; part: NonNullable<ReturnType<typeof usualPart>> };

function MeasuredSweep({ project, machine, chart, part }: MeasuredProps) {
  const { hidden } = route.useSearch();
  const { pointed, ...choice } = useLineChoice(hidden);
  const { mode, placement, crossings } = part;
  const lines = sweptLines(part.lines, hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const isShown = (key: string) => shown.some((line) => line.key === key);
  const answer = fastestOf(
    shown,
    "p50",
    crossings.filter(({ below, above }) => isShown(below.key) && isShown(above.key)),
  );
  const marked = answer.changes.flatMap(({ crossing }) => crossing ?? []);
  return (
    <ChartFrame
      name="sweep"
      title="Latency by message size"
      lead={
        <ul className="ranking">
          {sentencesOf(chart, part).map((sentence) => (
            <li key={sentence}>
              <Unbroken text={sentence} />
            </li>
          ))}
        </ul>
      }
      summary={
        <>
          Round-trip p50 on {machine}, {modeName(mode)}, {placementName(placement)}. Colour: fastest at some
          size.{" "}
          <Link {...toSweep(project)} search={{ machine, scenario: SWEPT_SCENARIO, mode, placement }}>
            Size sweep
          </Link>
        </>
      }
      table={sweepTable(project, [machine, SWEPT_SCENARIO, mode, placement, "sweep"].join("-"), shown, "p50")}
      legend={<LineChoice label="Lines" lines={lines} {...choice} />}
    >
      <LazySweepChart
        name="Latency (p50) of each transport by message size"
        lines={drawnLines(lines, answer, "p50")}
        measure={LATENCY}
        height_px={HEIGHT_PX}
        sizes={positionsOf(lines)}
        crossings={marked.map((crossing) => ({ ...crossing, label: captionOf(crossing) }))}
        emphasised={new Set(pointed === null ? [] : [pointed])}
        onPick={choice.onToggle}
      />
    </ChartFrame>
  );
}
