/** What more senders and receivers cost: a time against how many take part, side by side for each scenario. */

import { useQueries, useSuspenseQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { machinesQuery, runQuery, sweepQuery } from "@/api/queries";
import { ChartFrame, type Pending } from "@/components/chart/ChartFrame";
import { DataTable } from "@/components/chart/DataTable";
import { LineChoice, useLineChoice } from "@/components/chart/LineChoice";
import { ScalingChart } from "@/components/chart/ScalingChart";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Segmented } from "@/components/ui/controls";
import { NothingMeasured, Section } from "@/components/ui/states";
import { Unbroken } from "@/components/ui/text";
import { ascending, distinct } from "@/lib/collections";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toReference } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { slugsOf } from "@/lib/search";
import { counted } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { askedTopologies, TOPOLOGY_SCENARIOS, type TopologySearch } from "./search";
import { Cautions, LoadField, lossyTable, scalingTable } from "./tables";
import {
  chosenLoad,
  flatOf,
  looksOf,
  lossless,
  processorsOf,
  runsOf,
  type TimeOf,
  TOPOLOGIES,
  type TopologyLine,
  together,
  topologyHeadline,
  topologyLines,
} from "./topology";

const route = getRouteApi("/$project/topology");

/** More than two ends. */
const MANY = 3;

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
  const change = useSearchChange<TopologySearch>();
  const time = search.time ?? "message";
  const charts = useSuspenseQueries({
    queries: askedTopologies(place).map((asked) => sweepQuery(project, asked)),
  });
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const chart = together(charts.map(({ data }) => data));
  const { loads, load } = chosenLoad(chart, search.load);
  const wanted = load === undefined ? [] : runsOf(chart, load.key);
  const runs = useQueries({ queries: wanted.map((runId) => runQuery(runId)) });
  const isPending = runs.some(({ data }) => data === undefined);
  const pending: Pending = {
    error: runs.find(({ error }) => error !== null)?.error ?? null,
    onRetry: () => {
      for (const run of runs) if (run.error !== null) void run.refetch();
    },
  };
  const arrived = runs.flatMap(({ data }) => data ?? []);
  const lines = load === undefined ? [] : topologyLines(chart, load.key, arrived, time);
  const kept = lossless(lines);
  const stable = machines.find(({ machine }) => machine === place.machine)?.environment?.stable;
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
          Median time of {times}; {modeName(place.mode, MANY)}, {placementName(place.placement)}
          {load === undefined || load.label === "" ? "" : `, ${load.label}`}. Only what arrived everywhere,
          once and in order. Beside it: <Link {...toReference(project)}>what others have published</Link>.
        </p>
        <Cautions
          sentences={[
            "A flat line is the ideal: another member costs the others nothing. The dotted rule is where the fastest would then stay.",
            isOpen &&
              `Open points: ${OVERSUBSCRIBED}${processors === null ? "" : `. ${place.machine} has ${counted(processors, "processor")} for them`}.`,
          ]}
        />
      </header>
      <div className="controls sweep-controls">
        <PlaceChoice place={place} ends={MANY} onChoose={change} />
        <LoadField loads={loads} load={load} onChange={change} />
        <Segmented
          label="Time of"
          options={[
            { value: "message", label: "a message" },
            { value: "operation", label: "an operation" },
          ]}
          value={time}
          onChange={(value) => change({ time: value })}
        />
      </div>
      <Topologies {...{ project, place, lines, time }} pending={isPending ? pending : undefined} />
    </>
  );
}

type Props = {
  project: string;
  place: Place;
  lines: TopologyLine[];
  time: TimeOf;
  /** While runs have not arrived. */
  pending: Pending | undefined;
};

/** A panel for each scenario with the same axes, the lines that all of them share, and what was lost as a table. */
function Topologies({ project, place, lines, time, pending }: Props) {
  const { hidden } = route.useSearch();
  const { pointed, ...choice } = useLineChoice(hidden);
  const kept = lossless(lines);
  const looks = looksOf(kept);
  const isShown = (key: string) => !slugsOf(hidden).includes(key);
  const shown = kept.filter(({ key }) => isShown(key));
  const points = shown.flatMap((line) => line.points);
  const members = distinct(points.map((point) => point.members)).sort(ascending);
  const fileName = [place.machine, place.mode, place.placement].join("-");
  const lost = lossyTable(`${fileName}-lossy`, lines);
  return (
    <>
      {pending === undefined && (
        <LineChoice
          label="Lines"
          lines={looks.map((look) => ({ ...look, isShown: isShown(look.key) }))}
          {...choice}
        />
      )}
      <div className="multiples">
        {TOPOLOGIES.map(({ scenario, title, noun }) => {
          const own = shown.filter((line) => line.scenario === scenario);
          const what = `Time of ${time === "message" ? "a message" : "an operation"} against ${noun}`;
          return (
            <ChartFrame
              key={scenario}
              name={scenario}
              title={title}
              summary={own.length === 0 ? "" : what}
              table={
                own.length === 0
                  ? null
                  : scalingTable(project, `${fileName}-${scenario}`, own, { noun, time })
              }
              pending={pending}
            >
              {own.length === 0 ? (
                <p className="section-note">Not measured on {place.machine} in this way.</p>
              ) : (
                <ScalingChart
                  name={`${what}, ${title}`}
                  lines={own.map((line) => ({
                    ...line,
                    look: looks.find(({ key }) => key === line.key)?.look ?? 0,
                  }))}
                  members={members}
                  times_ns={points.map(({ time_ns }) => time_ns)}
                  flat_ns={flatOf(own)}
                  noun={noun}
                  emphasised={pointed}
                />
              )}
            </ChartFrame>
          );
        })}
      </div>
      {lost !== null && (
        <Section title="Lossy: senders that drop what does not fit">
          <p className="chart-summary">
            Compared with nothing: what was not taken is no message, and a time divided by attempts says
            nothing. A message delivered is one that a receiver got, on average over the receivers.
          </p>
          <DataTable title="Lossy" table={lost} />
        </Section>
      )}
    </>
  );
}
