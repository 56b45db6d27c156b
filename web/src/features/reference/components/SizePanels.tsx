/** Published times over message size, and beside them ours with the same axes. */
import { CrosshairScope } from "@/components/chart/crosshair";
import { LATENCY } from "@/components/chart/measure";
import { SweepChart, type SweepLine } from "@/components/chart/SweepChart";
import { ascending, distinct } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { publishedSizes } from "../data";
import type { OwnColumn, Protocol, PublishedRow } from "../ours";

type Props = { rows: PublishedRow[]; protocol: Protocol | null; own: OwnColumn[] };

export function SizePanels({ rows, protocol, own }: Props) {
  const published = publishedSizes(rows).map(
    ({ label, points }): SweepLine => ({ key: label, label, current: false, points }),
  );
  const ours = protocol === null ? [] : own.map((column) => ownLine(protocol, column));
  const points = [...published, ...ours].flatMap((line) => line.points);
  const axes = {
    measure: LATENCY,
    sizes: distinct(points.map(({ message_bytes }) => message_bytes)),
    values: points.map(({ value }) => value),
  };
  return (
    <CrosshairScope>
      <div className="multiples">
        <figure>
          <figcaption className="chart-summary">Published: p98, one way</figcaption>
          <SweepChart name="Published p98 against message size" lines={published} {...axes} />
        </figure>
        <figure>
          <figcaption className="chart-summary">
            {ours.length === 0 ? "Here: not measured" : `Here: ${protocol?.figure}; the same axes`}
          </figcaption>
          {ours.length > 0 && <SweepChart name="Our p98 against message size" lines={ours} {...axes} />}
        </figure>
      </div>
    </CrosshairScope>
  );
}

function ownLine(protocol: Protocol, { key, machine, transport, commit, series }: OwnColumn): SweepLine {
  const at = commit === null ? "" : ` at ${shortSha(commit)}`;
  return {
    key,
    label: `${transport}, ${machine}${at}`,
    current: false,
    points: series
      .flatMap((entry) => {
        const value = protocol.figureOf(entry);
        const apart = entry.latest?.lossy === true ? ("lossy" as const) : null;
        return value === null ? [] : [{ message_bytes: entry.case.message_bytes, value, apart }];
      })
      .sort((a, b) => ascending(a.message_bytes, b.message_bytes)),
  };
}
