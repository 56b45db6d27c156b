/** Traffic above latency, over one byte axis: pointing at a size in one of them marks it in both. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Place } from "@/api/place";
import type { SizeProfile } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { LineChoice } from "@/components/chart/LineChoice";
import { LATENCY } from "@/components/chart/measure";
import { SizeHistogramChart } from "@/components/chart/SizeHistogramChart";
import { SweepChart, sweepMargin } from "@/components/chart/SweepChart";
import { drawnLines, type SweptLine, withToggled } from "@/components/chart/swept";
import { useIsNarrow } from "@/components/chart/useIsNarrow";
import type { Answer } from "@/lib/fastest";
import { positionsOf } from "@/lib/sweep";
import { formatCount } from "@/lib/units";
import { barsOf, latencyNote, SCENARIO, trafficNote } from "../data";
import { latencyTable, trafficTable } from "../tables";

/** Room for the shares at the right where no names are. */
const SHARES_PX = 56;
const HEIGHT_PX = 360;

type Props = {
  profile: SizeProfile;
  /** What was measured, if anything. */
  measured: { place: Place; lines: SweptLine[]; answer: Answer } | null;
};

export function Meeting({ profile, measured }: Props) {
  const { hidden } = useSearch({ from: "/$project/sizes" });
  const navigate = useNavigate({ from: "/$project/sizes" });
  const [pointed, setPointed] = useState<string | null>(null);
  const isNarrow = useIsNarrow();
  const lines = measured?.lines ?? [];
  const shown = lines.filter(({ isShown }) => isShown);
  const drawn = measured === null ? [] : drawnLines(lines, measured.answer, "p50");
  const bars = barsOf(profile);
  const sizes = [...bars.flatMap(({ from, to }) => [Math.max(1, from), to]), ...positionsOf(lines)];
  const right_px = Math.max(SHARES_PX, sweepMargin(drawn, isNarrow));
  const toggle = (key: string) => {
    setPointed(null);
    const changed = withToggled(hidden, key);
    navigate({
      search: ({ hidden: _hidden, ...rest }) => (changed === undefined ? rest : { ...rest, hidden: changed }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <CrosshairScope>
      <ChartFrame
        name="traffic"
        title={`Sizes of ${formatCount(profile.sample_count)} messages`}
        summary="Bars: messages of a bucket of sizes. Line: the share of all messages that are in it or in a smaller one. The byte axis is logarithmic."
        table={trafficTable(profile)}
      >
        <SizeHistogramChart
          name="Messages by size, and the share that is not larger"
          bars={bars}
          total={profile.sample_count}
          sizes={sizes}
          right_px={right_px}
          note={(bytes) => latencyNote(shown, bytes)}
        />
      </ChartFrame>
      {measured !== null && (
        <ChartFrame
          name="latency"
          title={`Latency (p50) against message size on ${measured.place.machine}`}
          summary="The same byte axis. Those that are the fastest somewhere are strong; a name hides its line and shows it again."
          table={latencyTable(
            [measured.place.machine, SCENARIO, measured.place.placement, profile.slug].join("-"),
            profile,
            shown,
          )}
          controls={<LineChoice label="Lines" lines={lines} onToggle={toggle} onPoint={setPointed} />}
        >
          <SweepChart
            name="Latency of each transport against message size"
            lines={drawn}
            measure={LATENCY}
            height_px={HEIGHT_PX}
            right_px={right_px}
            sizes={sizes}
            emphasised={new Set(pointed === null ? [] : [pointed])}
            onPoint={setPointed}
            onPick={toggle}
            note={(bytes) => trafficNote(profile, bytes)}
          />
        </ChartFrame>
      )}
    </CrosshairScope>
  );
}
