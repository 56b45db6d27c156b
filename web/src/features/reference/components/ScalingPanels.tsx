/** Published times over how many take part: a panel for each topology, with the same axes. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { CrosshairScope } from "@/components/chart/crosshair";
import { LineChoice } from "@/components/chart/LineChoice";
import { ScalingChart } from "@/components/chart/ScalingChart";
import { withToggled } from "@/components/chart/swept";
import { ascending, distinct } from "@/lib/collections";
import { slugOf, slugsOf } from "@/lib/search";
import { publishedScaling } from "../data";
import type { PublishedRow } from "../ours";

export function ScalingPanels({ rows }: { rows: PublishedRow[] }) {
  const [pointed, setPointed] = useState<string | null>(null);
  const { hidden } = useSearch({ from: "/$project/reference" });
  const navigate = useNavigate({ from: "/$project/reference" });
  const panels = distinct(rows.map(({ topology }) => String(topology))).map((topology) => ({
    topology,
    lines: publishedScaling(rows, topology),
  }));
  const names = distinct(panels.flatMap(({ lines }) => lines.map(({ label }) => label)));
  const points = panels.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const isShown = (label: string) => !slugsOf(hidden).includes(slugOf(label));
  const toggle = (label: string) => {
    setPointed(null);
    const changed = withToggled(hidden, slugOf(label));
    navigate({
      search: ({ hidden: _hidden, ...rest }) => (changed === undefined ? rest : { ...rest, hidden: changed }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <CrosshairScope>
      <p className="chart-summary">
        Published times of a message, with the same axes. Times of an attempt are in the table only: an
        attempt is no message.
      </p>
      <LineChoice
        label="Published lines"
        lines={names.map((name, look) => ({ key: name, label: name, look, isShown: isShown(name) }))}
        onToggle={toggle}
        onPoint={setPointed}
      />
      <div className="multiples">
        {panels.map(({ topology, lines }) => (
          <figure key={topology}>
            <figcaption className="chart-summary">{topology}, N against the time of a message</figcaption>
            <ScalingChart
              name={`Published time of a message, ${topology}`}
              lines={lines
                .filter(({ label }) => isShown(label))
                .map((line) => ({ key: line.label, look: names.indexOf(line.label), ...line }))}
              members={distinct(points.map(({ members }) => members)).sort(ascending)}
              times_ns={points.map(({ time_ns }) => time_ns)}
              flat_ns={null}
              noun="members"
              emphasised={pointed}
            />
          </figure>
        ))}
      </div>
    </CrosshairScope>
  );
}
