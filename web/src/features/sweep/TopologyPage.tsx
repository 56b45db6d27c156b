/** Time by number of senders and receivers, one chart per scenario. */

import { useQueries, useSuspenseQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Place, placeQuery } from "@/api/place";
import { machinesQuery, runQuery, sweepQuery } from "@/api/queries";
import { ChartFrame, type Pending } from "@/components/chart/ChartFrame";
import { DataTable } from "@/components/chart/DataTable";
import { LineChoice, useLineChoice } from "@/components/chart/LineChoice";
import { lineStyle } from "@/components/chart/lines";
import { ScalingChart } from "@/components/chart/ScalingChart";
import { PlaceChoice } from "@/components/PlaceChoice";
import { Segmented } from "@/components/ui/controls";
import { NothingMeasured, Section } from "@/components/ui/states";
import { Sentences, Unbroken } from "@/components/ui/text";
import { ascending, distinct } from "@/lib/collections";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toReference } from "@/lib/paths";
import { OVERSUBSCRIBED } from "@/lib/points";
import { slugsOf } from "@/lib/search";
import { formatCount } from "@/lib/units";
import { modeName, placementName } from "@/lib/vocabulary";
import { askedTopologies, type TimeOf, TOPOLOGIES, TOPOLOGY_SCENARIOS, type TopologySearch } from "./search";
import { LoadField, lossyTable, scalingTable } from "./tables";
import {
  chosenLoad,
  flatOf,
  looksOf,
  lossless,
  processorsOf,
  runsOf,
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
        title="No topologies measured yet"
        lede="Topologies are routes and channels with several senders or receivers."
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
  const count = processors === null ? "" : ` (${place.machine} has ${formatCount(processors)})`;
  const isOpen = kept.some(({ points }) => points.some(({ isOversubscribed }) => isOversubscribed));
  return (
    <>
      <header>
        <h1>
          <Unbroken
            text={
              isPending ? `Scaling on ${place.machine}` : `${topologyHeadline(kept, place.machine, time)}.`
            }
          />
        </h1>
        <p className="lede">
          p50 per {time}; {modeName(place.mode, MANY)}, {placementName(place.placement)}
          {load === undefined || load.label === "" ? "" : `, ${load.label}`}. Lossless results only.{" "}
          <Link {...toReference(project)}>Published figures</Link>
        </p>
        <Sentences
          of={[
            ...(time === "message" ? ["A message counts once, however many receive it."] : []),
            "Dotted: ideal scaling.",
            ...(isOpen ? [`Open points: ${OVERSUBSCRIBED}${count}.`] : []),
          ]}
          className="cautions"
        />
      </header>
      <div className="controls sweep-controls">
        <PlaceChoice place={place} ends={MANY} onChoose={change} />
        <LoadField loads={loads} load={load} onChange={change} />
        <Segmented
          label="Time per"
          options={[
            { value: "message", label: "Message" },
            { value: "operation", label: "Operation" },
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
  /** Set while runs are loading. */
  pending: Pending | undefined;
};

/** A chart for each scenario with the same axes and line styles, and a table of lossy results. */
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
          lines={looks.map(({ look, ...line }) => ({
            ...line,
            style: lineStyle(look),
            isShown: isShown(line.key),
          }))}
          {...choice}
        />
      )}
      <div className="multiples">
        {TOPOLOGIES.map(({ scenario, title, noun }) => {
          const own = shown.filter((line) => line.scenario === scenario);
          const what = `Time per ${time} by ${noun}`;
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
                <p className="section-note">Not measured on {place.machine}.</p>
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
        <Section title="Lossy (senders drop messages)">
          <p className="chart-summary">Never compared. Averaged over receivers.</p>
          <DataTable title="Lossy" table={lost} />
        </Section>
      )}
    </>
  );
}
