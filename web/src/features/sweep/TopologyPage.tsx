/** What more senders and receivers cost: a time against how many take part, side by side for each scenario. */
import { useQueries, useSuspenseQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { machinesQuery, runQuery, sweepQuery } from "@/api/queries";
import { NothingMeasured } from "@/components/ui/NothingMeasured";
import { Unbroken } from "@/components/ui/Unbroken";
import { toReference } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { counted } from "@/lib/units";
import { useTitle } from "@/lib/useTitle";
import { modeName, placementName } from "@/lib/vocabulary";
import { Cautions } from "./components/Cautions";
import { Topologies } from "./components/Topologies";
import { TopologyControls } from "./components/TopologyControls";
import { askedTopologies, TOPOLOGY_SCENARIOS } from "./search";
import {
  chosenLoad,
  lossless,
  processorsOf,
  runsOf,
  together,
  topologyHeadline,
  topologyLines,
} from "./topology";

const route = getRouteApi("/$project/topology");

export function TopologyPage() {
  const { project } = route.useParams();
  const { machine, mode, placement } = route.useSearch();
  const { data: place } = useSuspenseQuery(
    placeQuery(project, { machine, mode, placement }, TOPOLOGY_SCENARIOS),
  );
  useTitle(`Topology of ${project}`);
  if (place === null) {
    return (
      <NothingMeasured
        title="Nothing with several senders or receivers was measured yet"
        lede="Topologies are routes and channels: one sender to many receivers, many to one, many to many. The preset quick has two of them with one and two receivers, libipc all with up to eight."
        command="roundtrip run --preset libipc"
      />
    );
  }
  return <Scaling project={project} place={place} />;
}

function Scaling({ project, place }: { project: string; place: Place }) {
  const search = route.useSearch();
  const time = search.time ?? "message";
  const charts = useSuspenseQueries({
    queries: askedTopologies(place).map((asked) => sweepQuery(project, asked)),
  });
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const chart = together(charts.map(({ data }) => data));
  const { loads, load } = chosenLoad(chart, search.load);
  const wanted = load === undefined ? [] : runsOf(chart, load.key);
  const runs = useQueries({ queries: wanted.map((runId) => runQuery(runId)) });
  const failed = runs.find(({ error }) => error !== null);
  const isPending = runs.some(({ data }) => data === undefined);
  const arrived = runs.flatMap(({ data }) => data ?? []);
  const lines = load === undefined ? [] : topologyLines(chart, load.key, arrived, time);
  const kept = lossless(lines);
  const stable = machines.machines.find(({ machine }) => machine === place.machine)?.environment?.stable;
  const processors = processorsOf(stable);
  const isOpen = kept.some(({ points }) => points.some(({ isOversubscribed }) => isOversubscribed));
  const times = time === "message" ? "a message, counted once however many receive it" : "an operation";
  return (
    <>
      <header>
        <h1>
          <Unbroken
            text={
              isPending
                ? `What more senders and receivers cost on ${place.machine}`
                : `${topologyHeadline(kept, place.machine, time)}.`
            }
          />
        </h1>
        <p className="lede">
          Median time of {times}; {modeName(place.mode, 3)}, {placementName(place.placement)}
          {load === undefined || load.label === "" ? "" : `, ${load.label}`}. Only what arrived everywhere,
          once and in order. Beside it: <Link {...toReference(project)}>what others have published</Link>.
        </p>
        <Cautions
          sentences={[
            "A flat line is the ideal: another member costs the others nothing. The dotted rule is where the fastest would then stay.",
            ...(isOpen
              ? [
                  `Open points: ${OVERSUBSCRIBED}${processors === null ? "" : `. ${place.machine} has ${counted(processors, "processor")} for them`}.`,
                ]
              : []),
          ]}
        />
      </header>
      <TopologyControls place={place} loads={loads} load={load?.key ?? ""} time={time} />
      <Topologies
        project={project}
        place={place}
        lines={lines}
        time={time}
        {...(isPending
          ? {
              pending: {
                error: failed?.error ?? null,
                onRetry: () => {
                  for (const run of runs) if (run.error !== null) void run.refetch();
                },
              },
            }
          : {})}
      />
    </>
  );
}
