/** The lines of a sweep in small panels with common axes: one for each transport, or for each size. */
import { CrosshairScope } from "@/components/chart/crosshair";
import type { Measure } from "@/components/chart/measure";
import { RankedDots } from "@/components/chart/RankedDots";
import { SweepChart, type SweepLine } from "@/components/chart/SweepChart";
import { formatBytes } from "@/lib/units";
import { rankingsOf } from "./rankings";

type Props = { lines: SweepLine[]; sizes: number[]; measure: Measure; isRate: boolean };

const HEIGHT_PX = 180;

/** Each line in colour, over the others in grey. */
export function TransportPanels({ lines, sizes, measure }: Omit<Props, "isRate">) {
  return (
    <CrosshairScope>
      <div className="panels">
        {lines.map(({ key, label }) => (
          <div key={key}>
            <h3>{label}</h3>
            <SweepChart
              isPanel
              name={`${label} by message size`}
              lines={lines.map((line) => ({ ...line, current: line.key === key }))}
              measure={measure}
              height_px={HEIGHT_PX}
              sizes={sizes}
            />
          </div>
        ))}
      </div>
    </CrosshairScope>
  );
}

/** At each size, the lines from the best to the worst. */
export function SizePanels({ lines, measure, isRate }: Omit<Props, "sizes">) {
  const { domain, rankings } = rankingsOf(lines, isRate);
  return (
    <div className="panels">
      {rankings.map(({ message_bytes, rows }) => (
        <div key={message_bytes}>
          <h3>{formatBytes(message_bytes)}</h3>
          <RankedDots
            label={`Ranking at ${formatBytes(message_bytes)}`}
            rows={rows}
            domain={domain}
            format={measure.format}
          />
        </div>
      ))}
    </div>
  );
}
