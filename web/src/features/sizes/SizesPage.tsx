/** Message sizes of real programs, with measured latency at these sizes. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { sizeProfilesQuery, sweepQuery } from "@/api/queries";
import type { SizeProfile } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import { LineChoice, useLineChoice } from "@/components/chart/LineChoice";
import { LATENCY } from "@/components/chart/measure";
import { barsTable, SizeHistogramChart } from "@/components/chart/SizeHistogramChart";
import { SweepChart, sweepMargin } from "@/components/chart/SweepChart";
import { drawnLines, type SweptLine, sweptLines } from "@/components/chart/swept";
import { useIsNarrow } from "@/components/chart/useIsNarrow";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Choice } from "@/components/ui/controls";
import { CommandLine, Sentences } from "@/components/ui/text";
import { ascending } from "@/lib/collections";
import { type Answer, fastestOf } from "@/lib/fastest";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toSweep } from "@/lib/paths";
import { resultArguments } from "@/lib/site";
import { barsOf, shareBelow } from "@/lib/statistics";
import {
  crossingsOf,
  figureOf,
  linesOf,
  loadsOf,
  type MeasuredLine,
  NOT_COMPARABLE,
  positionsOf,
} from "@/lib/sweep";
import { formatBytes, formatCount, formatNs, formatShare } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { crossoverTexts, headlineOf, latencyNote, SCENARIO, trafficNote } from "./data";
import type { SizesSearch } from "./search";

const route = getRouteApi("/$project/sizes");

export function SizesPage() {
  const { project } = route.useParams();
  const { profile: asked, machine, mode, placement } = route.useSearch();
  const { data } = useSuspenseQuery(sizeProfilesQuery);
  const { data: place } = useSuspenseQuery(placeQuery(project, { machine, mode, placement }, [SCENARIO]));
  useTitle(`Sizes of ${project}`);
  const profiles = data.size_profiles;
  const profile = profiles.find(({ slug }) => slug === asked) ?? profiles[0];
  if (profile === undefined) {
    return <h1>No size profiles on this server</h1>;
  }
  return place === null ? (
    <>
      <Headline profile={profile} />
      <SizeCharts profile={profile} measured={null} />
      <p className="section-note">No round trips yet. To add some, run:</p>
      <CommandLine command={`roundtrip run --preset quick ${resultArguments()}`} />
    </>
  ) : (
    <Measured project={project} profiles={profiles} profile={profile} place={place} />
  );
}

type MeasuredProps = { project: string; profiles: SizeProfile[]; profile: SizeProfile; place: Place };

function Measured({ project, profiles, profile, place }: MeasuredProps) {
  const { hidden } = route.useSearch();
  const change = useSearchChange<SizesSearch>();
  const { machine, mode, placement } = place;
  const { data: chart } = useSuspenseQuery(
    sweepQuery(project, { over: "message_bytes", scenario: SCENARIO, machine, mode, placement }),
  );
  const loads = loadsOf(chart);
  // Prefer the default load, one message at a time.
  const load = loads.find(({ label }) => label === "") ?? loads[0];
  const lines = sweptLines(load === undefined ? [] : linesOf(chart, load.key), hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const answer = fastestOf(shown, "p50", crossingsOf(chart.crossovers, shown));
  const asked = load === undefined || load.label === "" ? "window 1" : load.label;
  return (
    <>
      <Headline profile={profile} />
      <Sentences of={crossoverTexts(profile, answer, machine)} className="answers" />
      <p className="section-note">
        Round-trip p50, {modeName(mode)}, {placementName(placement)}, {asked}. Within 3 %: tied. Assumes equal
        frequency within a bucket. <Link {...toSweep(project)}>Size sweep</Link>
      </p>
      <div className="controls sweep-controls">
        <Choice
          label="Size profile"
          values={profiles.map(({ slug }) => slug)}
          name={(slug) => profiles.find((entry) => entry.slug === slug)?.title ?? slug}
          value={profile.slug}
          onChange={(slug) => change({ profile: slug })}
        />
        <PlaceChoice place={place} onChoose={change} />
      </div>
      <SizeCharts profile={profile} measured={{ place, lines, answer }} />
    </>
  );
}

function Headline({ profile }: { profile: SizeProfile }) {
  return (
    <header>
      <h1>{headlineOf(profile)}.</h1>
      <p className="lede">
        {profile.title}. Source: {profile.source}. {profile.note}
      </p>
    </header>
  );
}

/** Room for the share axis if there are no names. */
const SHARES_PX = 56;
const HEIGHT_PX = 360;

type Props = {
  profile: SizeProfile;
  measured: { place: Place; lines: SweptLine[]; answer: Answer } | null;
};

/** Size histogram and latency chart with a common axis and crosshair. */
function SizeCharts({ profile, measured }: Props) {
  const { hidden } = route.useSearch();
  const { pointed, ...choice } = useLineChoice(hidden);
  const isNarrow = useIsNarrow();
  const lines = measured?.lines ?? [];
  const shown = lines.filter(({ isShown }) => isShown);
  const drawn = measured === null ? [] : drawnLines(lines, measured.answer, "p50");
  const bars = barsOf(profile.buckets);
  const sizes = [...bars.flatMap(({ from, to }) => [Math.max(1, from), to]), ...positionsOf(lines)];
  const right_px = Math.max(SHARES_PX, sweepMargin(drawn, isNarrow));
  return (
    <CrosshairScope>
      <ChartFrame
        name="traffic"
        title={`Message sizes, n = ${formatCount(profile.sample_count)}`}
        summary="Bars: messages per bucket. Line: cumulative share."
        table={barsTable(profile.slug, bars)}
      >
        <SizeHistogramChart
          name="Messages by size, with cumulative share"
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
          title={`Latency (p50) by message size on ${measured.place.machine}`}
          summary="Bold: fastest at some size. Click to hide."
          table={latencyTable(
            [measured.place.machine, SCENARIO, measured.place.placement, profile.slug].join("-"),
            profile,
            shown,
          )}
          legend={<LineChoice label="Lines" lines={lines} {...choice} />}
        >
          <SweepChart
            name="Latency by message size"
            lines={drawn}
            measure={LATENCY}
            height_px={HEIGHT_PX}
            right_px={right_px}
            sizes={sizes}
            emphasised={new Set(pointed === null ? [] : [pointed])}
            onPick={choice.onToggle}
            note={(bytes) => trafficNote(profile, bytes)}
          />
        </ChartFrame>
      )}
    </CrosshairScope>
  );
}

/** The medians of the lines by size, with the share of smaller messages. */
function latencyTable(fileName: string, profile: SizeProfile, lines: MeasuredLine[]): ChartTable {
  const rows = () =>
    lines
      .flatMap(({ label, points }) =>
        points.map((entry) => ({ label, ...entry, p50: figureOf(entry, "p50") ?? 0 })),
      )
      .sort((a, b) => ascending(a.x, b.x) || ascending(a.p50, b.p50));
  return tableOf(fileName, rows, [
    num("Message", "message_bytes", ({ x }) => x, formatBytes),
    num("Smaller messages", "share_below", ({ x }) => shareBelow(profile.buckets, x), formatShare),
    word("Line", "line", ({ label }) => label),
    num("p50", "latency_ns_p50", ({ p50 }) => p50, formatNs),
    word(
      "Comparable",
      "not_compared_because",
      ({ apart }) => apart,
      ({ apart }) => (apart === null ? "yes" : NOT_COMPARABLE[apart]),
    ),
  ]);
}
