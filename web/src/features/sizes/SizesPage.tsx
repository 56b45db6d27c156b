/** How large the messages of real programs are, above what messages of those sizes take here. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { sizeProfilesQuery, sweepQuery } from "@/api/queries";
import type { SizeProfile } from "@/api/types";
import { sweptLines } from "@/components/chart/swept";
import { CommandLine } from "@/components/ui/CommandLine";
import { fastestOf } from "@/lib/fastest";
import { toSweep } from "@/lib/paths";
import { crossingsOf, linesOf, loadsOf } from "@/lib/sweep";
import { formatCount } from "@/lib/units";
import { useTitle } from "@/lib/useTitle";
import { modeName, placementName } from "@/lib/vocabulary";
import { Meeting } from "./components/Meeting";
import { SizesControls } from "./components/SizesControls";
import { headlineOf, meetingTexts, SCENARIO } from "./data";

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
