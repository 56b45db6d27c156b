/** How large the messages of real programs are, above what messages of those sizes take here. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Place, placeQuery } from "@/api/place";
import { sizeProfilesQuery, sweepQuery } from "@/api/queries";
import type { SizeProfile } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { LineChoice } from "@/components/chart/LineChoice";
import { LATENCY } from "@/components/chart/measure";
import { SizeHistogramChart } from "@/components/chart/SizeHistogramChart";
import { SweepChart, sweepMargin } from "@/components/chart/SweepChart";
import { drawnLines, type SweptLine, sweptLines, withToggled } from "@/components/chart/swept";
import { useIsNarrow } from "@/components/chart/useIsNarrow";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Choice } from "@/components/ui/controls";
import { CommandLine } from "@/components/ui/text";
import { ascending } from "@/lib/collections";
import { type Answer, fastestOf } from "@/lib/fastest";
import { useTitle } from "@/lib/hooks";
import { toSweep } from "@/lib/paths";
import { crossingsOf, figureOf, linesOf, loadsOf, type MeasuredLine, positionsOf } from "@/lib/sweep";
import { formatBytes, formatCount, formatNs, formatShare } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { barsOf, headlineOf, latencyNote, meetingTexts, SCENARIO, shareBelow, trafficNote } from "./data";
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
    return (
      <>
        <h1>No size profile is known to this server</h1>
        <p className="lede">Size profiles come with the server: this one has none.</p>
      </>
    );
  }
  return place === null ? (
    <>
      <Headline profile={profile} />
      <Meeting profile={profile} measured={null} />
      <p className="section-note">
        No round trip was measured in this project, so nothing can stand below. This measures some and sends
        them here:
      </p>
      <CommandLine command={`roundtrip run --preset quick --upload ${window.location.origin}`} />
    </>
  ) : (
    <Measured project={project} profiles={profiles} profile={profile} place={place} />
  );
}

type MeasuredProps = { project: string; profiles: SizeProfile[]; profile: SizeProfile; place: Place };

function Measured({ project, profiles, profile, place }: MeasuredProps) {
  const { hidden } = route.useSearch();
  const { machine, mode, placement } = place;
  const { data: chart } = useSuspenseQuery(
    sweepQuery(project, { over: "message_bytes", scenario: SCENARIO, machine, mode, placement }),
  );
  const loads = loadsOf(chart);
  // One message at a time, where it was measured: what a caller waits for.
  const load = loads.find(({ label }) => label === "") ?? loads[0];
  const lines = sweptLines(load === undefined ? [] : linesOf(chart, load.key), hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const answer = fastestOf(shown, "p50", crossingsOf(chart.crossovers, shown));
  const asked = load === undefined || load.label === "" ? "one in flight" : load.label;
  return (
    <>
      <Headline profile={profile} />
      <ul className="meeting">
        {meetingTexts(profile, answer, machine).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p className="section-note">
        Fastest: by the p50 of round trips, {modeName(mode)}, {placementName(placement)}, {asked}; lines
        within 3 % count as equal. Below a size that is within a bucket, every size of the bucket is taken to
        be as frequent as any other. What a transport costs besides time is not told here:{" "}
        <Link {...toSweep(project)}>the size sweep</Link> has all figures.
      </p>
      <SizesControls profiles={profiles} profile={profile} place={place} />
      <Meeting profile={profile} measured={{ place, lines, answer }} />
    </>
  );
}

function Headline({ profile }: { profile: SizeProfile }) {
  return (
    <header>
      <h1>{headlineOf(profile)}.</h1>
      <p className="lede">
        {profile.title}: {formatCount(profile.sample_count)} messages. Source: {profile.source}.{" "}
        {profile.note}
      </p>
    </header>
  );
}

/** Room for the shares at the right where no names are. */
const SHARES_PX = 56;
const HEIGHT_PX = 360;

type Props = {
  profile: SizeProfile;
  /** What was measured, if anything. */
  measured: { place: Place; lines: SweptLine[]; answer: Answer } | null;
};

/** Traffic above latency, over one byte axis: pointing at a size in one of them marks it in both. */
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

type SizesControlsProps = { profiles: SizeProfile[]; profile: SizeProfile; place: Place };

/** Whose traffic is shown, and what was measured below it. */
export function SizesControls({ profiles, profile, place }: SizesControlsProps) {
  const navigate = useNavigate({ from: "/$project/sizes" });
  const choose = (change: SizesSearch) =>
    navigate({ search: (previous) => ({ ...previous, ...change }), replace: true, resetScroll: false });
  return (
    <div className="controls sweep-controls">
      <Choice
        label="Traffic"
        values={profiles.map(({ slug }) => slug)}
        name={(slug) => profiles.find((entry) => entry.slug === slug)?.title ?? slug}
        value={profile.slug}
        onChange={(slug) => choose({ profile: slug })}
      />
      <PlaceChoice place={place} onChoose={choose} />
    </div>
  );
}

/** The buckets as they were published, and what of all messages is in them. */
export function trafficTable(profile: SizeProfile): ChartTable {
  return {
    fileName: `${profile.slug}-sizes`,
    columns: [
      { label: "from", csvName: "from_bytes", number: true },
      { label: "to", csvName: "to_bytes", number: true },
      { label: "messages", csvName: "count", number: true },
      { label: "share", csvName: "share", number: true },
      { label: "not larger", csvName: "cumulative_share", number: true },
    ],
    rows: () =>
      barsOf(profile).map(({ from, to, count, cumulative }) => ({
        key: String(from),
        cells: [
          `${formatCount(from)} B`,
          `${formatCount(to - 1)} B`,
          formatCount(count),
          formatShare(count / profile.sample_count),
          formatShare(cumulative),
        ],
        csv: [from, to - 1, count, count / profile.sample_count, cumulative],
      })),
  };
}

/** The medians of the lines by size, and what of all messages is smaller. */
export function latencyTable(fileName: string, profile: SizeProfile, lines: MeasuredLine[]): ChartTable {
  const points = lines.flatMap(({ label, points: own }) => own.map((entry) => ({ label, ...entry })));
  return {
    fileName,
    columns: [
      { label: "message", csvName: "message_bytes", number: true },
      { label: "smaller messages", csvName: "share_below", number: true },
      { label: "line", csvName: "line", number: false },
      { label: "p50", csvName: "latency_ns_p50", number: true },
      { label: "comparable", csvName: "not_compared_because", number: false },
    ],
    rows: () =>
      points
        .map((entry) => ({ ...entry, p50: figureOf(entry, "p50") ?? 0, share: shareBelow(profile, entry.x) }))
        .sort((a, b) => ascending(a.x, b.x) || ascending(a.p50, b.p50))
        .map(({ label, x, apart, p50, share }) => ({
          key: `${label} ${x}`,
          cells: [
            formatBytes(x),
            formatShare(share),
            label,
            formatNs(p50),
            apart === null ? "yes" : apart === "lossy" ? "no, lossy" : "no, another environment",
          ],
          csv: [x, share, label, p50, apart],
        })),
  };
}
