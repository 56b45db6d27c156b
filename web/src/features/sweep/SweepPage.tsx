/** Latency against message size: which transport is the fastest up to which size, on one machine. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { sweepQuery } from "@/api/queries";
import { sweptLines } from "@/components/chart/swept";
import { NothingMeasured } from "@/components/ui/NothingMeasured";
import { Unbroken } from "@/components/ui/Unbroken";
import { shortSha } from "@/lib/commits";
import { fastestOf } from "@/lib/fastest";
import { toReference, toSizes } from "@/lib/paths";
import { crossingsOf, figuresOf, linesOf, loadsOf } from "@/lib/sweep";
import { useTitle } from "@/lib/useTitle";
import { scenarioName } from "@/lib/vocabulary";
import { cautionsOf, headlineOf, scopeOf } from "./answer";
import { Cautions } from "./components/Cautions";
import { SweepControls } from "./components/SweepControls";
import { SweepFrame } from "./components/SweepFrame";
import { askedSweep, placeAsked } from "./search";

const route = getRouteApi("/$project/sweep");

export function SweepPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: place } = useSuspenseQuery(placeQuery(project, placeAsked(search)));
  useTitle(`Size sweep of ${project}`);
  if (place === null) {
    return (
      <NothingMeasured
        title="No message was measured in this project yet"
        lede="A size sweep is of round trips or streams with messages of several sizes."
        command="roundtrip run --preset quick"
      />
    );
  }
  return <Sweep project={project} place={place} />;
}

function Sweep({ project, place }: { project: string; place: Place }) {
  const search = route.useSearch();
  const { data: chart } = useSuspenseQuery(sweepQuery(project, askedSweep(place, search)));
  const loads = loadsOf(chart);
  const load = loads.find(({ key }) => key === search.load) ?? loads[0];
  const all = load === undefined ? [] : linesOf(chart, load.key);
  const figures = figuresOf(all);
  const usual = place.scenario === "stream" ? "throughput" : "p50";
  const figure = figures.find((value) => value === (search.show ?? usual)) ?? "p50";
  const lines = sweptLines(all, search.hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const hidden = lines.filter(({ isShown }) => !isShown);
  const crossings = crossingsOf(chart.crossovers, shown);
  const answer = fastestOf(shown, figure, figure === "p50" ? crossings : []);
  const at = search.commit === undefined ? "" : ` at ${shortSha(search.commit)}`;
  return (
    <>
      <header>
        <h1>
          <Unbroken
            text={
              lines.length === 0
                ? `No ${scenarioName(place.scenario)} was measured on ${place.machine}${at} in this way`
                : `${headlineOf(answer, place.machine, figure)}.`
            }
          />
        </h1>
        <p className="lede">
          {scopeOf(place, load, figure)} Beside it: <Link {...toSizes(project)}>how large messages are</Link>{" "}
          and <Link {...toReference(project)}>what others have published</Link>.
        </p>
        <Cautions sentences={cautionsOf(answer, { shown, hidden }, figure)} />
      </header>
      <SweepControls
        project={project}
        place={place}
        loads={loads}
        load={load?.key ?? ""}
        figures={figures}
        figure={figure}
        commit={search.commit}
      />
      {lines.length > 0 && (
        <SweepFrame
          project={project}
          place={place}
          lines={lines}
          crossings={crossings}
          answer={answer}
          figure={figure}
        />
      )}
    </>
  );
}
