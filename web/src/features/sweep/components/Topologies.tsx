/** A panel for each scenario with the same axes, the lines that all of them share, and what was lost as a table. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Place } from "@/api/place";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DataTable } from "@/components/chart/DataTable";
import { LineChoice } from "@/components/chart/LineChoice";
import { ScalingChart } from "@/components/chart/ScalingChart";
import { withToggled } from "@/components/chart/swept";
import { Section } from "@/components/ui/Section";
import { ascending, distinct } from "@/lib/collections";
import { slugsOf } from "@/lib/search";
import { lossyTable, scalingTable } from "../tables";
import { flatOf, looksOf, lossless, type TimeOf, TOPOLOGIES, type TopologyLine } from "../topology";

type Props = {
  project: string;
  place: Place;
  lines: TopologyLine[];
  time: TimeOf;
  pending?: { error: Error | null; onRetry: () => void };
};

export function Topologies({ project, place, lines, time, pending }: Props) {
  const { hidden } = useSearch({ from: "/$project/topology" });
  const navigate = useNavigate({ from: "/$project/topology" });
  const [pointed, setPointed] = useState<string | null>(null);
  const kept = lossless(lines);
  const looks = looksOf(kept);
  const isShown = (key: string) => !slugsOf(hidden).includes(key);
  const shown = kept.filter(({ key }) => isShown(key));
  const points = shown.flatMap((line) => line.points);
  const members = distinct(points.map((point) => point.members)).sort(ascending);
  const fileName = [place.machine, place.mode, place.placement].join("-");
  const lost = lossyTable(`${fileName}-lossy`, lines);
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
    <>
      {pending === undefined && (
        <LineChoice
          label="Lines"
          lines={looks.map((look) => ({ ...look, isShown: isShown(look.key) }))}
          onToggle={toggle}
          onPoint={setPointed}
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
              {...(pending === undefined ? {} : { pending })}
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
